// Writes the files of events that TensorBoard draws.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <functional>
#include <string>

namespace troupe {

struct TensorboardOptions {
  std::uint32_t level = 0;            ///< 0: numbers; 1: histograms of parameters, too; 2: those of
                                      ///< gradients, too
  std::string folder = "tensorboard"; ///< in the run's folder
  std::uint32_t bins = 30;            ///< of a histogram, 1 to 1000
  FIELDS(level, folder, bins);
};

/// Before and after training; a batch's events every 100 batches.
Conditions tensorboard_conditions();

/// @throws std::invalid_argument for options that cannot be.
void check(const TensorboardOptions& options);

/// Where in TensorBoard a record of the log is drawn: the run, a folder, and the tag in it.
struct EventPlace {
  std::string run; ///< empty: nowhere
  std::string tag;
};

/// "validation_loss" is "loss" of "validation_set_agg", "partial_valid_loss" of "validation",
/// "training_loss" of "training_set_agg"; of others the name is the tag in "training". Times of day
/// and clocks, and names that begin with _, are drawn nowhere.
EventPlace event_place(const std::string& record);

/// An observer, subscribed with gradients (Shows::gradients); it follows the log, too. Numbers of
/// epochs and validations are written as they come, those of batches where its conditions say so,
/// with what observers add to such a row afterwards. The abscissa is the batch. A run that is
/// resumed says from which batch on its events count. A disk that refuses ends it with a warning.
/// The logger, which it follows, holds it: it ends when it is sent an exit.
/// @param wall_clock seconds since 1970; default: the system's
/// @throws std::invalid_argument for options that cannot be.
Extension spawn_tensorboard(caf::actor_system& system, const TensorboardOptions& options,
                            Layout layout, const std::string& folder, Logger logger,
                            std::function<double()> wall_clock = {});

} // namespace troupe
