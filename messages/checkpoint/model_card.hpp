#pragma once

#include "base/fields.hpp"
#include "base/types.hpp"

#include <string>

namespace troupe {

/// What MI-Prometheus' checkpoints say beside `state_dict`, the parameters by name.
struct ModelCard {
  std::string name;                             ///< of the model
  std::string model_timestamp;                  ///< when its parameters were saved, ISO 8601
  Step episode = 0;                             ///< the last one that was trained, from 0
  double loss = 0;                              ///< of the validation
  std::string status;                           ///< of training
  std::string status_timestamp;                 ///< when the status was written, ISO 8601
  std::string training_stats, validation_stats; ///< "loss 0.25; accuracy 0.9 [Full Validation]"
  std::string causes; ///< of the end of training, the status among them, with "; " between them
  TROUPE_FIELDS(name, model_timestamp, episode, loss, status, status_timestamp, training_stats,
                validation_stats, causes);
};

} // namespace troupe
