#include "model/data/images/digits.hpp"
#include "model/data/repeatable_rows.hpp"
#include "model/data/sequences/recall.hpp"
#include "tests/support/self_shuffled.hpp"
#include "tests/support/toy_problem.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

/// Gives rows sequentially, whichever are asked for.
class SelfShuffling : public WrappedProblem {
public:
  using WrappedProblem::WrappedProblem;
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override {
    std::vector<Index> first(rows.size());
    for (std::size_t i = 0; i < first.size(); ++i)
      first[i] = static_cast<Index>(i);
    WrappedProblem::gather(section, first, batch);
  }
};

} // namespace

TEST_CASE("a problem that shuffles by itself is told from one that reads the rows it is asked for",
          "[T19]") {
  const auto toy = std::make_shared<ToyProblem>(10);
  CHECK(has_repeatable_rows(*toy));
  CHECK(has_repeatable_rows(ToyProblem{1}));
  CHECK(has_repeatable_rows(Digits{{.train = 20, .validation = 1, .test = 1}}));
  CHECK(has_repeatable_rows(SerialRecall{RecallOptions{.train = 20}}));
  CHECK_FALSE(has_repeatable_rows(SelfShuffled{toy}));
  CHECK_FALSE(has_repeatable_rows(SelfShuffling{toy}));
}

TEST_CASE("rows that cannot be read are left for training to report", "[T19]") {
  ToyProblem toy{10};
  toy.poison(9);
  CHECK(has_repeatable_rows(toy));
}
