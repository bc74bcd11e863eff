#include "messages/loop/batches_ahead.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

/// Asks until there is no credit left. @returns the requested cursors.
std::vector<Step> asked_by(BatchesAhead& batches, Step wanted, std::vector<ReadBatch>& loader) {
  std::vector<Step> cursors;
  while (auto batch = batches.ask(wanted)) {
    cursors.push_back(batch->cursor);
    loader.push_back(std::move(*batch));
  }
  return cursors;
}

/// The loader delivers everything, the last request first.
void deliver(BatchesAhead& batches, std::vector<ReadBatch>& loader) {
  for (; !loader.empty(); loader.pop_back())
    batches.arrived(std::move(loader.back()));
}

using Cursors = std::vector<Step>;

} // namespace

TEST_CASE("no more batches are requested than there is credit", "[loader]") {
  BatchesAhead batches{3};
  std::vector<ReadBatch> loader;
  CHECK(asked_by(batches, 5, loader) == Cursors{5, 6, 7});
  deliver(batches, loader);
  CHECK(asked_by(batches, 5, loader).empty()); // they are ready, and none was taken
  const auto batch = batches.take(5);
  REQUIRE(batch);
  CHECK(batch->cursor == 5);
  CHECK(asked_by(batches, 6, loader) == Cursors{8});
}

TEST_CASE("a batch that is not ready cannot be taken, and each only once", "[loader]") {
  BatchesAhead batches{2};
  std::vector<ReadBatch> loader;
  asked_by(batches, 0, loader);
  CHECK_FALSE(batches.take(0));
  deliver(batches, loader);
  CHECK(batches.take(0));
  CHECK_FALSE(batches.take(0));
}

TEST_CASE("a trainer that jumps elsewhere gets the batches from there", "[loader][M7]") {
  const Step elsewhere = GENERATE(0, 3, 100); // before, within what was requested, far ahead
  BatchesAhead batches{2};
  std::vector<ReadBatch> loader, later;
  asked_by(batches, 2, loader);
  asked_by(batches, elsewhere, later);
  deliver(batches, loader);
  while (!batches.take(elsewhere)) {
    asked_by(batches, elsewhere, later);
    REQUIRE_FALSE(later.empty());
    deliver(batches, later);
  }
  const auto next = asked_by(batches, elsewhere + 1, later);
  deliver(batches, later);
  CHECK(batches.take(elsewhere + 1));
}

TEST_CASE("a batch that was requested twice is ready once", "[loader]") {
  BatchesAhead batches{2};
  std::vector<ReadBatch> first, second;
  asked_by(batches, 4, first);
  deliver(batches, first);
  asked_by(batches, 0, first);  // back to 0 ...
  asked_by(batches, 4, second); // ... and, before the loader has answered, to 4 again
  deliver(batches, first);
  asked_by(batches, 4, second);
  deliver(batches, second);
  CHECK(batches.take(4));
  CHECK_FALSE(batches.take(4));
  CHECK(asked_by(batches, 5, second).size() <= 2);
}

TEST_CASE("returned memory is filled again", "[loader]") {
  BatchesAhead batches{1};
  auto first = batches.ask(0);
  REQUIRE(first);
  first->rows.resize(100);
  const auto* memory = first->rows.data();
  batches.arrived(std::move(*first));
  auto taken = batches.take(0);
  REQUIRE(taken);
  batches.give_back(std::move(*taken));
  const auto second = batches.ask(1);
  REQUIRE(second);
  CHECK(second->rows.data() == memory);
}

TEST_CASE("a lost loader leaves its credit to the next", "[loader]") {
  BatchesAhead batches{2};
  std::vector<ReadBatch> loader;
  asked_by(batches, 0, loader);
  batches.lost();
  batches.lost();
  loader.clear();
  CHECK(asked_by(batches, 9, loader) == Cursors{9, 10});
}
