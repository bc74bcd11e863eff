#pragma once

#include "model/tensor/random.hpp"

#include <vector>

namespace troupe {

/// Which rows there are, and how they become batches.
struct BatchOrderOptions {
  Index examples = 0;     ///< in the section, before sharding
  Index batch_size = 64;  ///< > 0
  bool shuffle = true;    ///< a new permutation each epoch
  bool drop_last = false; ///< skip an epoch's last batch if it is not full
  bool endless = false;   ///< epoch e reads rows e * examples ... instead of the same rows again
  Index shards = 1;       ///< workers that share the section
  Index shard = 0;        ///< this worker, 0 .. shards - 1
  RandomKey key{};        ///< of this run, role and worker
};

/// Determines the rows of any batch of any epoch from one integer: the cursor counts batches from
/// 0.
///
/// Rows are split into shards before any shuffling: shard i owns rows i, i + shards, i + 2 shards,
/// ..., whatever the key, so that shards are disjoint and together complete (10 rows over 3 shards:
/// 4, 3, 3). Within a shard each epoch is a keyed permutation.
class BatchOrder {
public:
  /// @throws std::invalid_argument for an invalid batch size, shard or number of examples
  explicit BatchOrder(BatchOrderOptions options);

  /// As it was made with.
  const BatchOrderOptions& options() const { return options_; }
  Index shard_size() const { return shard_size_; } ///< examples, endless or not
  Index examples_per_epoch() const; ///< of this shard, without a last batch that drop_last skips
  Step batches_per_epoch() const {
    return batches_per_epoch_;
  } ///< 0 if the shard has no (full) batch

  /// The epoch of a batch, from 0. batches_per_epoch() must not be 0.
  Epoch epoch(Step cursor) const { return cursor / batches_per_epoch_; }

  /// Fills `rows` with the rows of batch `cursor`. Not const, because it keeps the permutation of
  /// the last epoch. @throws std::invalid_argument if there is no batch
  void rows(Step cursor, std::vector<Index>& rows);

private:
  BatchOrderOptions options_;
  Index shard_size_ = 0;
  Step batches_per_epoch_ = 0;
  Epoch permuted_epoch_ = 0;
  Permutation permutation_;
};

} // namespace troupe
