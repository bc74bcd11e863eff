#pragma once

#include "model/data/batch_order.hpp"
#include "model/data/problem.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// A batch read from the training section.
struct ReadBatch {
  Step cursor = 0;         ///< its number, from 0
  std::vector<Index> rows; ///< of the section, in their order in the batch
  Batch batch;             ///< these rows
  std::string error;       ///< why it could not be read; "": it was read
  TROUPE_FIELDS(cursor, rows, batch, error);
};

/// Reads batches of the training section by their cursor. The result depends on the cursor alone,
/// so that several readers with one order read the same. Use it from one thread at a time; copy it
/// for others.
class BatchReader {
public:
  /// @pre problem is not null
  BatchReader(std::shared_ptr<const Problem> problem, BatchOrder order)
    : problem_(std::move(problem)),
      order_(std::move(order)) {}

  /// The source of the rows.
  const Problem& problem() const { return *problem_; }
  /// Which rows make up which batch.
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
