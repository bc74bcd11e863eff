// Examples that go on from one batch to the next: what a problem, a batch order and a model that
// carries its state have to agree on.
#pragma once

#include "model/data/batch_order.hpp"
#include "model/data/problem.hpp"

namespace troupe {

/// How many sequences of a batch go on in the next one.
/// @throws std::invalid_argument where they do not.
Index streams_of(const DataSpec& data);

/// @throws std::invalid_argument where the problem's rows go on from each other, but training would
///         not read them so: in their order, all streams in each batch, by one worker.
void check_streams(const DataSpec& data, const BatchOrderOptions& order);

} // namespace troupe
