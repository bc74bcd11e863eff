#include "messages/loop/epoch_size.hpp"

#include "base/text/text.hpp"

#include <stdexcept>

namespace troupe {

namespace {

// Stored in the row, to keep the file format.
constexpr const char* epoch_batches = "_epoch_batches";
constexpr const char* epoch_examples = "_epoch_examples";

std::optional<std::uint64_t> count_in(const Records& row, const char* name) {
  const auto found = row.find(name);
  if (found == row.end())
    return {};
  const auto* count = std::get_if<std::int64_t>(&found->second);
  return count != nullptr && *count >= 0 ? std::optional{static_cast<std::uint64_t>(*count)}
                                         : std::nullopt;
}

/// Whether the cursor of a state without an epoch size can lie within epochs of this size.
bool lies_inside(const SavedTrainer& saved, const EpochSize& here) {
  const auto begin = saved.position.epochs * here.batches;
  return saved.cursor >= begin && saved.cursor - begin <= here.batches;
}

} // namespace

EpochSize epoch_size_of(const BatchOrder& order) {
  return {order.batches_per_epoch(), static_cast<std::uint64_t>(order.examples_per_epoch())};
}

std::string to_string(const EpochSize& size) {
  return plural(size.batches, "batch", "es") + " (" + plural(size.examples, "example") + ")";
}

void put_epoch_size(SavedTrainer& saved, const EpochSize& size) {
  saved.row[epoch_batches] = Value{static_cast<std::int64_t>(size.batches)};
  saved.row[epoch_examples] = Value{static_cast<std::int64_t>(size.examples)};
}

std::optional<EpochSize> epoch_size_of(const SavedTrainer& saved) {
  const auto batches = count_in(saved.row, epoch_batches);
  const auto examples = count_in(saved.row, epoch_examples);
  return batches && examples ? std::optional{EpochSize{*batches, *examples}} : std::nullopt;
}

void erase_epoch_size(Records& row) {
  row.erase(epoch_batches);
  row.erase(epoch_examples);
}

Step cursor_from(const SavedTrainer& saved, const EpochSize& here) {
  if (!saved.epoch_started)
    return saved.position.epochs * here.batches;
  const auto before = epoch_size_of(saved);
  if (before ? *before == here : lies_inside(saved, here))
    return saved.cursor;
  const auto place = before ? "in the middle of an epoch of " + to_string(*before)
                            : "at batch " + std::to_string(saved.cursor) + " after "
                                + std::to_string(saved.position.epochs) + " epochs";
  throw std::invalid_argument("it was saved " + place + ", and an epoch here has " + to_string(here)
                              + "; continue with that run's data, sampler, batch_size and "
                                "drop_last, or from a state that was "
                                "saved between two epochs");
}

} // namespace troupe
