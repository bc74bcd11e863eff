#include "messages/loop/epoch_size.hpp"

#include "base/text/text.hpp"

#include <stdexcept>

namespace troupe {

EpochSize epoch_size_of(const BatchOrder& order) {
  return {order.batches_per_epoch(), static_cast<std::uint64_t>(order.examples_per_epoch())};
}

std::string to_string(const EpochSize& size) {
  return quantity(size.batches, "batch", "es") + " (" + quantity(size.examples, "example") + ")";
}

Step cursor_from(const SavedTrainer& saved, const EpochSize& here) {
  if (!saved.epoch_started)
    return saved.position.epochs * here.batches;
  if (saved.epoch_size == here)
    return saved.cursor;
  throw std::invalid_argument("it was saved in the middle of an epoch of "
                              + to_string(saved.epoch_size) + ", and an epoch here has "
                              + to_string(here)
                              + "; continue with that run's data, sampler, batch_size and "
                                "drop_last, or from a state that was "
                                "saved between two epochs");
}

} // namespace troupe
