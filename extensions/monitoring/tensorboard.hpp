// Writes event files for TensorBoard.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <functional>
#include <string>

namespace troupe {

struct TensorboardOptions {
  std::uint32_t level
    = 0; ///< 0: numbers; 1: also histograms of parameters; 2: also those of gradients
  std::string folder = "tensorboard"; ///< in the run's folder
  std::uint32_t bins = 30;            ///< of a histogram, 1 to 1000
  TROUPE_FIELDS(level, folder, bins);
};

/// Before and after training; events of a batch every 100 batches.
Conditions tensorboard_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const TensorboardOptions& options);

/// The place of a record in TensorBoard: the run, which is a folder, and the tag in it.
struct EventPlace {
  std::string run; ///< "": not shown
  std::string tag;
};

/// "validation_loss" is "loss" of "validation_set_agg", "partial_valid_loss" of "validation",
/// "training_loss" of "training_set_agg"; other records are tags of "training". Times of day,
/// durations and names that begin with _ are not shown.
EventPlace event_place(const std::string& record);

/// An observer, subscribed with gradients (Shows::gradients), that also follows the log. It writes
/// numbers of epochs and validations when they arrive, and those of batches where its conditions
/// fire, with the records that observers add to such a row afterwards. The step is the batch. For a
/// resumed run it writes from which batch on its events replace earlier ones. After a write error
/// it stops writing, with a warning. The logger holds a handle to it as a follower: it ends when it
/// receives an exit message.
/// @param wall_clock seconds since 1970; default: the system's
/// @throws std::invalid_argument for invalid options.
Extension spawn_tensorboard(caf::actor_system& system, const TensorboardOptions& options,
                            Layout layout, const std::string& folder, Logger logger,
                            std::function<double()> wall_clock = {});

} // namespace troupe
