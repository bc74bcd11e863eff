#include "model/data/batch_order.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

using namespace troupe;

namespace {

std::vector<Index> rows_of(BatchOrder& order, Step cursor) {
  std::vector<Index> rows;
  order.rows(cursor, rows);
  return rows;
}

std::vector<Index> rows_of_epoch(BatchOrder& order, Epoch epoch) {
  std::vector<Index> all;
  for (Step b = 0; b < order.batches_per_epoch(); ++b) {
    const auto rows = rows_of(order, epoch * order.batches_per_epoch() + b);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::vector<Index> sorted(std::vector<Index> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<Index> first_numbers(Index n) {
  std::vector<Index> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

} // namespace

TEST_CASE("each epoch reads each row once, in a new order", "[batch_order]") {
  BatchOrder order{{.examples = 103, .batch_size = 10, .key = {1}}};
  CHECK(order.batches_per_epoch() == 11);
  CHECK(order.examples_per_epoch() == 103);
  const auto first = rows_of_epoch(order, 0), second = rows_of_epoch(order, 1);
  CHECK(sorted(first) == first_numbers(103));
  CHECK(sorted(second) == first_numbers(103));
  CHECK(first != second);
  CHECK(first != first_numbers(103));
  CHECK(rows_of(order, 10).size() == 3);
}

TEST_CASE("without shuffling the rows are read in order in each epoch", "[batch_order]") {
  BatchOrder order{{.examples = 10, .batch_size = 4, .shuffle = false, .key = {}}};
  CHECK(rows_of_epoch(order, 0) == first_numbers(10));
  CHECK(rows_of_epoch(order, 5) == first_numbers(10));
}

TEST_CASE("any cursor gives the same batch as counting up to it", "[batch_order]") {
  const BatchOrderOptions options{.examples = 57, .batch_size = 8, .key = {3}};
  BatchOrder sequential{options}, jumping{options};
  std::vector<std::vector<Index>> batches;
  for (Step cursor = 0; cursor < 50; ++cursor)
    batches.push_back(rows_of(sequential, cursor));
  for (Step cursor : {49, 3, 20, 0, 31, 30, 8, 7, 49})
    CHECK(rows_of(jumping, cursor) == batches[cursor]);
}

TEST_CASE("skipping an epoch's last batch makes the epoch smaller", "[batch_order][M14]") {
  BatchOrder all{{.examples = 10, .batch_size = 4, .key = {}}};
  BatchOrder full{{.examples = 10, .batch_size = 4, .drop_last = true, .key = {}}};
  CHECK(all.batches_per_epoch() == 3);
  CHECK(all.examples_per_epoch() == 10);
  CHECK(full.batches_per_epoch() == 2);
  CHECK(full.examples_per_epoch() == 8);
  CHECK(rows_of_epoch(full, 0).size() == 8);
  BatchOrder none{{.examples = 3, .batch_size = 4, .drop_last = true, .key = {}}};
  CHECK(none.batches_per_epoch() == 0);
}

TEST_CASE("ten rows over three workers make shards of 4, 3 and 3, disjoint and complete",
          "[batch_order][T19]") {
  std::vector<Index> all;
  std::vector<std::size_t> sizes;
  for (Index shard = 0; shard < 3; ++shard) {
    BatchOrder order{{.examples = 10,
                      .batch_size = 2,
                      .shards = 3,
                      .shard = shard,
                      .key = {shard == 0 ? 1u : 2u}}};
    const auto rows = rows_of_epoch(order, 0);
    sizes.push_back(rows.size());
    all.insert(all.end(), rows.begin(), rows.end());
  }
  CHECK(sizes == std::vector<std::size_t>{4, 3, 3});
  CHECK(sorted(all) == first_numbers(10));
}

TEST_CASE("a worker's shard is the same whatever the key and the epoch", "[batch_order][T19]") {
  for (std::uint64_t key : {1, 2, 3}) {
    BatchOrder order{{.examples = 10, .batch_size = 2, .shards = 3, .shard = 1, .key = {key}}};
    for (Epoch epoch : {0, 1, 7})
      CHECK(sorted(rows_of_epoch(order, epoch)) == std::vector<Index>{1, 4, 7});
  }
}

TEST_CASE("an endless problem gives each shard new rows in each epoch", "[batch_order]") {
  std::vector<Index> all;
  for (Index shard : {0, 1}) {
    BatchOrder order{
      {.examples = 7, .batch_size = 3, .endless = true, .shards = 2, .shard = shard, .key = {4}}};
    for (Epoch epoch : {0, 1, 2}) {
      const auto rows = rows_of_epoch(order, epoch);
      all.insert(all.end(), rows.begin(), rows.end());
    }
  }
  CHECK(sorted(all) == first_numbers(21));
}

TEST_CASE("epochs are counted from the cursor", "[batch_order]") {
  const BatchOrder order{{.examples = 10, .batch_size = 4, .key = {}}};
  CHECK(order.epoch(2) == 0);
  CHECK(order.epoch(3) == 1);
}

TEST_CASE("invalid batch sizes, shards and sections are refused", "[batch_order]") {
  CHECK_THROWS_AS(BatchOrder({.examples = 10, .batch_size = 0, .key = {}}), std::invalid_argument);
  CHECK_THROWS_AS(BatchOrder({.examples = -1, .key = {}}), std::invalid_argument);
  CHECK_THROWS_AS(BatchOrder({.examples = 10, .shards = 3, .shard = 3, .key = {}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(BatchOrder({.examples = 10, .shards = 0, .key = {}}), std::invalid_argument);
  CHECK(BatchOrder({.examples = 2, .shards = 3, .shard = 2, .key = {}}).batches_per_epoch() == 0);
}

TEST_CASE("an order without a batch is refused when a batch is read", "[batch_order]") {
  BatchOrder empty{{.batch_size = 8}};
  CHECK(empty.batches_per_epoch() == 0);
  CHECK_THROWS_WITH(rows_of(empty, 0), Catch::Contains("there is no batch of 8 examples in 0"));
  // cure: ; set examples to the size of the training section, or use smaller batches
  BatchOrder given{{.examples = 16, .batch_size = 8}};
  CHECK(rows_of(given, 0).size() == 8);
}
