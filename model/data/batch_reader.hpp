#pragma once

#include "model/data/batch_order.hpp"
#include "model/data/problem.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// A batch read from the training section.
struct ReadBatch {
  Step cursor = 0;
  std::vector<Index> rows;
  Batch batch;
  std::string error; ///< why it could not be read; "": it was read
  FIELDS(cursor, rows, batch, error);
};

/// Reads batches of the training section by their cursor. The result depends on the cursor alone,
/// so that several readers with one order read the same. Use it from one thread at a time; copy it
/// for others.
class BatchReader {
public:
  BatchReader(std::shared_ptr<const Problem> problem, BatchOrder order)
    : problem_(std::move(problem)),
      order_(std::move(order)) {}

  const Problem& problem() const { return *problem_; }
  const BatchOrder& order() const { return order_; }

  /// Fills `batch`, whose memory is reused. Throws what the problem throws.
  void read(Step cursor, ReadBatch& batch);

  /// The same, but stores an error in the batch, so that the trainer can report it.
  void try_to_read(Step cursor, ReadBatch& batch);

private:
  std::shared_ptr<const Problem> problem_;
  BatchOrder order_;
};

} // namespace troupe
