#pragma once

#include "messages/loop/loop.hpp"
#include "model/data/batch_order.hpp"

namespace troupe {

EpochSize epoch_size_of(const BatchOrder& order);
std::string to_string(const EpochSize& size); ///< "10 batches (300 examples)"

/// The batch with which a worker whose epochs are so long goes on from a state. Between two epochs
/// that is the first of the next one, however long epochs were before.
/// @throws std::invalid_argument in the middle of an epoch that was longer or shorter: which of its
/// examples were trained on has no meaning here.
Step cursor_from(const SavedTrainer& saved, const EpochSize& here);

} // namespace troupe
