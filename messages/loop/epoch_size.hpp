#pragma once

#include "messages/loop/loop.hpp"
#include "model/data/batch_order.hpp"

#include <optional>

namespace troupe {

/// The length of an epoch for one worker. A saved cursor counts batches, so it denotes other
/// examples if epochs have become longer or shorter.
struct EpochSize {
  Step batches = 0;
  std::uint64_t examples = 0;
  bool operator==(const EpochSize&) const = default;
};

EpochSize epoch_size_of(const BatchOrder& order);
std::string to_string(const EpochSize& size); ///< "10 batches (300 examples)"

/// Stores the size of its epochs in a state.
void put_epoch_size(SavedTrainer& saved, const EpochSize& size);
/// Nothing if an earlier version has saved the state.
std::optional<EpochSize> epoch_size_of(const SavedTrainer& saved);
/// Removes the size from a state's row.
void erase_epoch_size(Records& row);

/// The batch with which a worker with epochs of this size continues from a state. Between two
/// epochs that is the first batch of the next one, however long epochs were before.
/// @throws std::invalid_argument within an epoch of another size, where it is unknown which
/// examples were trained on.
Step cursor_from(const SavedTrainer& saved, const EpochSize& here);

} // namespace troupe
