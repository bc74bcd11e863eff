// Keeps the model of the best validation in a file of its own, and with `intermediate` that of
// every validation.
#pragma once

#include "extensions/support/row_deadline.hpp"
#include "messages/checkpoint/checkpoint.hpp"
#include "messages/evaluation/best_model.hpp"
#include "messages/log/log.hpp"

#include <functional>
#include <string>

namespace troupe {

struct BestModelOptions {
  std::string record
    = "validation_loss"; ///< what to compare: a validation's prefix and a metric, like "_loss"
  Choose choose = Choose::by_name;            ///< which is better
  std::string path = "models/model_best.bin"; ///< relative to the run's folder
  bool intermediate = false;                  ///< models/model_episode_00000.bin, ... beside it
  std::string model = {};                     ///< what the model is called
  double deadline = row_deadline;             ///< seconds for a row to be complete
  FIELDS(record, choose, path, intermediate, model, deadline);
};

/// after_epoch and after_training. Add after_batch where the record is written.
Conditions best_model_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const BestModelOptions& options);

/// Whose model is kept.
struct BestModelSources {
  Trainer trainer;
  Logger logger;
  RunWriter writer;
  std::string folder;                      ///< of the run
  std::function<double()> wall_clock = {}; ///< seconds since 1970; none: the system's
};

/// A gate, to be subscribed after who writes the record and `training_status`. Training waits until
/// its state is taken, which copies nothing, and where the file before is not written yet. A file
/// is a saved run with the trainer's whole state (parameters, optimizer, position) and a ModelCard;
/// it is there whole or not at all. Where a later row, without a better loss, tells of another
/// status of training, status and its time in the best file change and nothing else.
///
/// Records `model_saved_to`. A file that cannot be written is a warning. It ends when no handle to
/// it is left; Drain waits for what is being written.
/// @throws std::invalid_argument for an empty path or record, or a deadline that is not above 0.
Extension spawn_best_model(caf::actor_system& system, BestModelOptions options,
                           BestModelSources sources);

} // namespace troupe
