#pragma once

#include "model/data/batch_order.hpp"
#include "model/data/problem.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// A batch of the training section, as it was read.
struct ReadBatch {
  Step cursor = 0;
  std::vector<Index> rows;
  Batch batch;
  std::string error; ///< why it could not be read; "": it was
  FIELDS(cursor, rows, batch, error);
};

/// Reads batches of the training section, each by its cursor: what comes depends on that alone, so
/// that several readers of one order read the same. One thread at a time; a copy serves the next.
class BatchReader {
public:
  BatchReader(std::shared_ptr<const Problem> problem, BatchOrder order)
    : problem_(std::move(problem)),
      order_(std::move(order)) {}

  const Problem& problem() const { return *problem_; }
  const BatchOrder& order() const { return order_; }

  /// Fills `batch`, whose memory is reused. Throws what the problem throws.
  void read(Step cursor, ReadBatch& batch);

  /// The same, but notes in the batch why it could not be read: for whoever trains on it to say.
  void try_to_read(Step cursor, ReadBatch& batch);

private:
  std::shared_ptr<const Problem> problem_;
  BatchOrder order_;
};

} // namespace troupe
