#pragma once

#include "messages/loop/loop.hpp"
#include "model/data/batch_order.hpp"

#include <optional>

namespace troupe {

/// How long an epoch is for one worker. A saved cursor counts such batches, so that it means other
/// examples where an epoch has become longer or shorter.
struct EpochSize {
  Step batches = 0;
  std::uint64_t examples = 0;
  bool operator==(const EpochSize&) const = default;
};

EpochSize epoch_size_of(const BatchOrder& order);
std::string to_string(const EpochSize& size); ///< "10 batches (300 examples)"

/// Notes in a state how long its epochs are.
void put_epoch_size(SavedTrainer& saved, const EpochSize& size);
/// Nothing where an earlier version has saved the state.
std::optional<EpochSize> epoch_size_of(const SavedTrainer& saved);
/// Takes that note out of a state's row.
void erase_epoch_size(Records& row);

/// The batch with which a worker whose epochs are so long goes on from a state. Between two epochs
/// that is the first of the next one, however long epochs were before.
/// @throws std::invalid_argument in the middle of an epoch that was longer or shorter: which of its
/// examples were trained on has no meaning here.
Step cursor_from(const SavedTrainer& saved, const EpochSize& here);

} // namespace troupe
