// How the state of a running training gets to the disk while it goes on.
//
//   trainer            checkpoint             trainer, holder, extensions          writer
//     | -- AskGate ------> |                              |                           |
//     |                    | -- Save, SaveHolder -------> |                           |
//     |                    | -- SaveExtension ----------> |                           |
//     |                    | <- SavedTrainer, ... ------- |   shares the parameters   |
//     | <- GateAnswer ---- |                              |                           |
//     |   goes on          | <- SavedExtension ---------- |                           |
//     |                    | -- WriteRun ------------------------------------------->  |
//     |                    | <- RunWritten -----------------------------------------  |
#pragma once

#include "messages/checkpoint/saved_run.hpp"
#include "messages/loop/extension.hpp"

namespace troupe {

/// A part of a state that can have a file of its own beside the state's, here called x.bin.
enum class SeparatePart : std::uint8_t {
  parameters, ///< x_parameters.bin: of the first worker, by name, to be loaded
  model,      ///< x_model.safetensors: the same for other programs
  optimizer,  ///< x_optimizer.safetensors: its running quantities
  log,        ///< x_log.jsonl: the log up to this state
  position,   ///< x_position.json: where each worker stands
};

std::string to_string(SeparatePart part);
bool from_text(std::string_view text, SeparatePart& part); ///< false for an unknown word

/// How much of a log belongs to a state.
struct LogLength {
  std::string path;
  std::uint64_t bytes = 0; ///< the last line may be cut
  FIELDS(path, bytes);
};

/// Asks for a state to be written to each of the paths.
struct WriteRun {
  SavedRun run;
  std::vector<std::string> paths;
  std::uint32_t keep = 1;             ///< files of one path, this one included: x.bin, x.1.bin, ...
  std::vector<SeparatePart> separate; ///< parts that get a file of their own
  LogLength log_file;                 ///< where these want it
  FIELDS(run, paths, keep, separate, log_file);
};

/// Asks for what a saved state says of one name to be changed; all else in the file stays, and
/// whoever looks finds the old file or the new one.
struct AmendRun {
  std::string path;
  std::string name; ///< in SavedRun::extensions
  Records records;  ///< those that change
  FIELDS(path, name, records);
};

struct RunWritten {
  std::vector<std::string> paths; ///< of states that were written whole
  std::string error;              ///< the sentence about the first file that was not; "" for none
  std::uint64_t bytes = 0;
  double seconds = 0;
  FIELDS(paths, error, bytes, seconds);
};

using RunWriter = caf::typed_actor<caf::replies_to<WriteRun>::with<RunWritten>,
                                   caf::replies_to<AmendRun>::with<RunWritten>>;

/// An extension whose state belongs into checkpoints.
struct Participant {
  std::string name; ///< the same when the run goes on
  Extension actor;
  FIELDS(name, actor);
};

/// From now on these are saved, too.
struct SaveThese {
  std::vector<Participant> extensions;
  FIELDS(extensions);
};

using Checkpoint = Extension::extend<caf::reacts_to<SaveThese>>;

} // namespace troupe
