// How the state of a running training reaches the disk while training continues.
//
//   trainer            checkpoint             trainer, holder, extensions          writer
//     | -- AskGate ------> |                              |                           |
//     |                    | -- Save, SaveHolder -------> |                           |
//     |                    | -- SaveExtension ----------> |                           |
//     |                    | <- SavedTrainer, ... ------- |   parameters are shared, not copied   |
//     | <- GateAnswer ---- |                              |                           |
//     |   continues        | <- SavedExtension ---------- |                           |
//     |                    | -- WriteRun ------------------------------------------->  |
//     |                    | <- RunWritten -----------------------------------------  |
#pragma once

#include "base/text/enum_names.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/loop/extension.hpp"

namespace troupe {

/// A part of a saved state that can have a file of its own beside it. The state is called x.bin
/// here.
enum class SeparatePart : std::uint8_t {
  parameters, ///< x_parameters.bin: the first worker's parameters by name, to be loaded
  model,      ///< x_model.safetensors: the same for other programs
  optimizer,  ///< x_optimizer.safetensors: the optimizer's state
  log,        ///< x_log.jsonl: the log up to this state
  position,   ///< x_position.json: the position of each worker
};
/// How configurations write the values.
constexpr auto enum_names(SeparatePart) {
  return name_list("parameters", "model", "optimizer", "log", "position");
}

/// How much of a log belongs to a saved state.
struct LogLength {
  std::string path;        ///< of the log's file
  std::uint64_t bytes = 0; ///< the last line may be incomplete
  TROUPE_FIELDS(path, bytes);
};

/// Asks to write a state to each of the paths.
struct WriteRun {
  SavedRun run;                       ///< its blocks are shared with the sender, not copied
  std::vector<std::string> paths;     ///< of the states: each ends with .bin
  std::uint32_t keep = 1;             ///< files kept for each path, including this one: x.bin,
                                      ///< x.1.bin, ...
  std::vector<SeparatePart> separate; ///< parts that also get a file of their own
  LogLength log_file;                 ///< where the log part is copied from
  TROUPE_FIELDS(run, paths, keep, separate, log_file);
};

/// Asks for the status in the card of a kept model to be changed. All else in the file stays, and a
/// reader finds the old file or the new one.
struct AmendModel {
  std::string path;                             ///< of a model file
  std::string status, causes, status_timestamp; ///< as in ModelCard
  TROUPE_FIELDS(path, status, causes, status_timestamp);
};

/// What was written.
struct RunWritten {
  std::vector<std::string> paths; ///< of states that were written completely
  std::string error;              ///< about the first file that could not be written; "": none
  std::uint64_t bytes = 0;        ///< of all files together
  double seconds = 0;             ///< that writing took
  TROUPE_FIELDS(paths, error, bytes, seconds);
};

/// Writes states one after the other (actors/checkpoint/run_writer.hpp).
using RunWriter = caf::typed_actor<caf::replies_to<WriteRun>::with<RunWritten>,
                                   caf::replies_to<AmendModel>::with<RunWritten>>;

/// An extension whose state is saved in checkpoints.
struct Participant {
  std::string name; ///< the same after a resume
  Extension actor;  ///< asked for its state at each checkpoint
  TROUPE_FIELDS(name, actor);
};

/// From now on these are saved as well.
struct AddParticipants {
  std::vector<Participant> extensions; ///< in addition to those of earlier messages
  TROUPE_FIELDS(extensions);
};

/// The extension that saves a run (extensions/saving/checkpoint.hpp).
using Checkpoint = Extension::extend<caf::reacts_to<AddParticipants>>;

} // namespace troupe
