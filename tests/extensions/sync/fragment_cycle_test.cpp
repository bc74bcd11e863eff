#include "extensions/sync/fragment_cycle.hpp"
#include "tests/support/holder_checks.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

Layout of_size(Index size) {
  Layout layout;
  layout.add("w", {size});
  return layout;
}

} // namespace

TEST_CASE("fragments cover the parameters, and their turns follow one another", "[fragments]") {
  FragmentCycle cycle{of_size(100), 3, false};
  cycle.begin(0);
  Index end = 0;
  for (int turn = 0; turn < 3; ++turn) {
    CHECK(cycle.next().begin == end);
    end += cycle.next().size;
    cycle.advance(41); // other workers push, too
  }
  CHECK(end == 100);
  CHECK(cycle.turn() == 0);
}

TEST_CASE("in rounds the version says whose turn it is", "[fragments]") {
  FragmentCycle early{of_size(100), 3, true}, late{of_size(100), 3, true};
  early.begin(0);
  for (Version version = 1; version <= 7; ++version)
    early.advance(version);
  late.begin(7);
  CHECK(late.turn() == early.turn());
}

TEST_CASE("without fragments each turn is that of the whole block", "[fragments]") {
  FragmentCycle cycle{of_size(100), 1, true};
  cycle.advance(5);
  CHECK(cycle.count() == 1);
  CHECK(cycle.next().is_whole());
}

TEST_CASE("a late answer is taken with what the worker has learned meanwhile", "[fragments]") {
  Layout layout;
  layout.add("w", {2});
  layout.add("variance", {1}, ParameterRole::statistic);
  const auto taken
    = with_progress(block_of({10, 20, 1}), block_of({4, 4, 9}), block_of({5, 2, 3}), layout);
  CHECK(floats_of(taken) == std::vector<float>{11, 18, 1});
}

TEST_CASE("a worker that has not trained meanwhile takes the answer as it is", "[fragments]") {
  const auto answer = block_of({0.1f, 1e-7f, 3e7f}), own = block_of({7.7f, 1e9f, -0.3f});
  CHECK(with_progress(answer, own, own, of_size(3)) == answer);
}
