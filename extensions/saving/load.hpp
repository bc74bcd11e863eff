// Begins training with the parameters of an earlier run.
#pragma once

#include "messages/checkpoint/saved_run.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace troupe {

struct LoadOptions {
  std::string path;       ///< a state or checkpoint of a run, or a run's folder: its newest; or
                          ///< parameters from elsewhere, *.safetensors or *.npz
  bool strict = false;    ///< every parameter on both sides must have its like
  bool optional = false;  ///< a missing file is a warning; else it ends training
  bool optimizer = false; ///< the optimizer's running quantities and its count of steps, too: the
                          ///< layouts must be equal
  bool position = false;  ///< training goes on where that run stood: batch, epoch, every timeline
  bool log = false;       ///< what was logged up to there is copied; only with position
  FIELDS(path, strict, optional, optimizer, position, log);
};

/// Reads what a run has logged, in the order in which it was written, of all workers, and hands it
/// to `take` row by row.
/// @param path of the run, as in LoadOptions. May throw; the sentence ends training.
using TakeLoggedRow = std::function<void(Write row)>;
using LoggedRows = std::function<void(const std::string& path, const TakeLoggedRow& take)>;

/// What the checkpoints in a run's folder are called, by which its newest state is found. May be
/// asked of any path.
using CheckpointNames
  = std::function<std::vector<std::string>(const std::filesystem::path& folder)>;

/// before_training.
Conditions load_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const LoadOptions& options);

/// A gate. Parameters are found by name; one of another shape ends training with a sentence, one
/// without its like keeps its value, and is named in a warning. Records `loaded_from`. A run that
/// is resumed keeps its own parameters. It ends when no handle to it is left.
///
/// With `position`, on_resumption follows, and worker n goes on where worker n of the saved run
/// stood; running sums begin anew, and what other extensions remember stays there. With `log`,
/// worker n's rows up to that position are written to this run's log. Subscribe it before all
/// others, since they count from where before_training finds them.
/// @param layout of the parameters that are trained
/// @param trainer to which it is subscribed; may be null without `position`
/// @param logged may be null without `log`
/// @param checkpoints null: as they are called by themselves
/// @throws std::invalid_argument for an empty path, a position without a trainer, a log without a
/// position or a reader, or a position or optimizer from a file that has only parameters.
Extension spawn_load(caf::actor_system& system, LoadOptions options, Layout layout, Logger logger,
                     Trainer trainer = {}, LoggedRows logged = {},
                     CheckpointNames checkpoints = {});

/// What LoadOptions::path names; of parameters from elsewhere, a run with nothing but them.
/// @param checkpoints as in spawn_load
/// @throws FileError, DataError
FoundRun run_to_load(const std::string& path, const CheckpointNames& checkpoints = {});

/// `target`, with each parameter of `saved` that has the same name.
struct LoadedParameters {
  Block values;
  std::vector<std::string> missing; ///< names that only the target has
  std::vector<std::string> unknown; ///< names that only the saved one has
};
/// @throws std::invalid_argument for a parameter of another shape.
LoadedParameters load_by_name(const Layout& layout, Block target, const Layout& saved_layout,
                              const Block& saved);

} // namespace troupe
