// Saves the model of the best validation to a file, and with `intermediate` that of every
// validation.
#pragma once

#include "extensions/support/row_deadline.hpp"
#include "messages/checkpoint/checkpoint.hpp"
#include "messages/evaluation/best_model.hpp"
#include "messages/log/log.hpp"

#include <functional>
#include <string>

namespace troupe {

struct BestModelOptions {
  std::string record = "validation_loss"; ///< the record to compare: a validation's prefix and a
                                          ///< metric, like "_loss"
  Choose choose = Choose::by_name;        ///< which is better
  std::string path = "models/model_best.bin"; ///< relative to the run's folder
  bool intermediate = false;                  ///< also saves models/model_episode_00000.bin, ...
  std::string model = {};                     ///< name of the model
  double deadline = row_deadline;             ///< seconds for a row to be complete
  TROUPE_FIELDS(record, choose, path, intermediate, model, deadline);
};

/// after_epoch and after_training. Add after_batch if the record is written there.
Conditions best_model_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const BestModelOptions& options);

/// The actors that best_model works with.
struct BestModelSources {
  Trainer trainer;
  Logger logger;
  RunWriter writer;
  std::string folder;                      ///< of the run
  std::function<double()> wall_clock = {}; ///< seconds since 1970; none: the system's
};

/// A gate. Subscribe it after the extensions that write the record and `training_status`. Training
/// waits until its state is taken, which copies nothing, and until the previous file is written. A
/// file is a saved run with the trainer's whole state (parameters, optimizer, position) and a
/// ModelCard; it is written completely or not at all. If a later row without a better loss has
/// another training status, only the status and its time change in the best file.
///
/// It records `model_saved_to`. A file that cannot be written causes a warning. It ends when no
/// handle to it is left; Drain waits for files that are being written.
/// @throws std::invalid_argument for an empty path or record, or a deadline that is not above 0.
Extension spawn_best_model(caf::actor_system& system, BestModelOptions options,
                           BestModelSources sources);

} // namespace troupe
