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

#include "troupe/messages/extension.hpp"
#include "troupe/messages/saved_run.hpp"

namespace troupe {

/// Asks for a state to be written to each of the paths.
struct WriteRun {
  SavedRun run;
  std::vector<std::string> paths;
  std::uint32_t keep = 1;            ///< files of one path, this one included: x.bin, x.1.bin, ...
  std::vector<std::string> separate; ///< parts that get a file of their own: "parameters"
  FIELDS(run, paths, keep, separate);
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
  std::vector<std::string> paths; ///< that were written whole
  std::string error;              ///< the sentence about the first that was not; "" for none
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
