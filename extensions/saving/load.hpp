// Starts training with the parameters of an earlier run.
#pragma once

#include "extensions/saving/loaded_parameters.hpp"
#include "extensions/support/logged_rows.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <string>
#include <vector>

namespace troupe {

struct LoadOptions {
  std::string path;    ///< a state or checkpoint of a run; a run's folder, for its newest state; or
                       ///< parameters of another program, *.safetensors or *.npz
  bool strict = false; ///< every parameter on either side must exist on the other
  bool optional = false; ///< true: a missing file causes a warning; false: it ends training
  bool optimizer
    = false; ///< also the optimizer's state and its number of steps; the layouts must be equal
  bool position
    = false;        ///< training continues at that run's position: batch, epoch, every timeline
  bool log = false; ///< copies the log up to that position; only with `position`
  TROUPE_FIELDS(path, strict, optional, optimizer, position, log);
};

/// before_training.
Conditions load_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const LoadOptions& options);

/// A gate. It finds parameters by name. A parameter of another shape ends training with a message;
/// one without a counterpart keeps its value and is named in a warning. It records `loaded_from`. A
/// resumed run keeps its own parameters. It ends when no handle to it is left.
///
/// With `position`, on_resumption follows, and worker n continues at the position of worker n in
/// the saved run. Running sums restart, and the state of other extensions is not loaded. With
/// `log`, it writes worker n's rows up to that position to this run's log. Subscribe it before all
/// others, since they count from the position at before_training.
/// @param layout of the trained parameters
/// @param trainer that it is subscribed to; may be null without `position`
/// @param logged may be null without `log`
/// @param checkpoints null: the default names
/// @throws std::invalid_argument for an empty path, a position without a trainer, a log without a
/// position or a reader, or a position or optimizer from a file that has only parameters.
Extension spawn_load(caf::actor_system& system, LoadOptions options, Layout layout, Logger logger,
                     Trainer trainer = {}, LoggedRows logged = {},
                     CheckpointNames checkpoints = {});

} // namespace troupe
