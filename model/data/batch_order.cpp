#include "model/data/batch_order.hpp"

#include "base/text/text.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace troupe {

namespace {

RandomKey epoch_key(const BatchOrderOptions& options, Epoch epoch) {
  return options.key.derive("epoch").derive(epoch);
}

} // namespace

BatchOrder::BatchOrder(BatchOrderOptions options) : options_(options), permutation_(0, {}) {
  if (options.batch_size <= 0)
    throw std::invalid_argument("batch_size is " + std::to_string(options.batch_size)
                                + "; give it at least 1");
  if (options.shards <= 0 || options.shard < 0 || options.shard >= options.shards)
    throw std::invalid_argument("shard " + std::to_string(options.shard) + " of "
                                + std::to_string(options.shards) + " does not exist");
  if (options.examples < 0)
    throw std::invalid_argument("a section of " + std::to_string(options.examples) + " examples");
  shard_size_ = (options.examples - options.shard + options.shards - 1) / options.shards;
  const auto rounding = options.drop_last ? 0 : options.batch_size - 1;
  batches_per_epoch_ = static_cast<Step>((shard_size_ + rounding) / options.batch_size);
  permutation_ = Permutation{shard_size_, epoch_key(options_, 0)};
}

Index BatchOrder::examples_per_epoch() const {
  return std::min(shard_size_, static_cast<Index>(batches_per_epoch_) * options_.batch_size);
}

void BatchOrder::rows(Step cursor, std::vector<Index>& rows) {
  if (batches_per_epoch_ == 0)
    throw std::invalid_argument(
      "there is no batch of " + quantity(static_cast<std::uint64_t>(options_.batch_size), "example")
      + " in " + quantity(static_cast<std::uint64_t>(options_.examples), "example") + " over "
      + quantity(static_cast<std::uint64_t>(options_.shards), "shard")
      + "; set examples to the size of the training section, or use smaller batches");
  const auto now = epoch(cursor);
  if (now != permuted_epoch_) {
    permutation_ = Permutation{shard_size_, epoch_key(options_, now)};
    permuted_epoch_ = now;
  }
  const auto first = static_cast<Index>(cursor % batches_per_epoch_) * options_.batch_size;
  const auto last = std::min(first + options_.batch_size, shard_size_);
  const auto base = options_.endless ? static_cast<Index>(now) * options_.examples : 0;
  rows.resize(static_cast<std::size_t>(last - first));
  for (auto i = first; i < last; ++i) {
    const auto place = options_.shuffle ? permutation_(i) : i;
    rows[static_cast<std::size_t>(i - first)] = base + place * options_.shards + options_.shard;
  }
}

} // namespace troupe
