// Examples that continue from one batch to the next: checks that a problem, a batch order and a
// model that carries its state agree.
#pragma once

#include "model/data/batch_order.hpp"
#include "model/data/problem.hpp"

namespace troupe {

/// How many sequences of a batch continue in the next one.
/// @throws std::invalid_argument if none do
Index streams_of(const DataSpec& data);

/// @throws std::invalid_argument if the problem's rows continue each other, but training would
///         not read them in order, all streams in each batch, with one worker
void check_streams(const DataSpec& data, const BatchOrderOptions& order);

} // namespace troupe
