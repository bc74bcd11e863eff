#include "model/data/batch_order.hpp"
#include "model/data/sequences/addition.hpp"
#include "model/data/sequences/recall.hpp"
#include "model/data/sequences/tagging.hpp"
#include "tests/support/symbols.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <set>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

std::vector<Index> lengths_of(const Curriculum& curriculum, Epoch epochs) {
  std::vector<Index> lengths;
  for (Epoch epoch = 0; epoch < epochs; ++epoch)
    lengths.push_back(curriculum.length(epoch));
  return lengths;
}

/// The set of numbers of symbols to remember in the given rows.
std::set<Index> symbols_of(const Problem& problem, Section section,
                           const std::vector<Index>& rows) {
  const auto symbols = test::symbols_in(problem, section, rows);
  return {symbols.begin(), symbols.end()};
}

std::vector<Index> rows_from(Index first, Index count) {
  std::vector<Index> rows;
  for (Index row = first; row < first + count; ++row)
    rows.push_back(row);
  return rows;
}

/// Recall with one length per epoch: 2, 5, 8, 10, 10, ...
RecallOptions growing() {
  return {.min_length = 10,
          .max_length = 10,
          .train = 50,
          .validation = 20,
          .test = 20,
          .curriculum = {.initial = 2, .step = 3}};
}

} // namespace

TEST_CASE("a curriculum grows by its step with each epoch up to the full length", "[M29]") {
  const Curriculum curriculum("copy", {.initial = 2, .step = 3}, 10);
  CHECK(lengths_of(curriculum, 5) == std::vector<Index>{2, 5, 8, 10, 10});
  CHECK(curriculum.epochs() == 3);
  CHECK(lengths_of({"copy", {.initial = 2, .step = 4}, 10}, 4) == std::vector<Index>{2, 6, 10, 10});
  CHECK(Curriculum("copy", {.initial = 2, .step = 4}, 10).epochs() == 2);
  CHECK(curriculum.length(std::numeric_limits<Epoch>::max()) == 10);
}

TEST_CASE("without a curriculum, or with one that starts at the end, epochs have the full length",
          "[M29]") {
  for (Index initial : {0, 10}) {
    const Curriculum curriculum("copy", {.initial = initial}, 10);
    CHECK(curriculum.epochs() == 0);
    CHECK(lengths_of(curriculum, 2) == std::vector<Index>{10, 10});
  }
}

TEST_CASE("a curriculum that starts at the end is over at once, whatever its step", "[M29]") {
  CHECK(Curriculum("copy", {.initial = 10, .step = 3}, 10).epochs() == 0);
}

TEST_CASE("a curriculum with a step beyond all lengths is over after one epoch", "[M29]") {
  const Curriculum curriculum("copy", {.initial = 1, .step = std::numeric_limits<Index>::max()},
                              10);
  CHECK(lengths_of(curriculum, 3) == std::vector<Index>{1, 10, 10});
  CHECK(curriculum.epochs() == 1);
}

TEST_CASE("an invalid curriculum is refused with a sentence", "[M29]") {
  CHECK_THROWS_WITH(SerialRecall({.max_length = 6, .curriculum = {.initial = 7}}),
                    Contains("serial_recall: curriculum.initial is 7")
                      && Contains("give 1 to max_length, which is 6"));
  CHECK_THROWS_WITH(Addition({.curriculum = {.initial = -1}}),
                    Contains("curriculum.initial is -1"));
  CHECK_THROWS_WITH(Tagging({.curriculum = {.initial = 3, .step = 0}}),
                    Contains("curriculum.step is 0, so it would never end"));
}

TEST_CASE("a sequence problem says how long its curriculum lasts", "[M29]") {
  const SerialRecall with(growing()), without;
  CHECK(with.curriculum_epochs() == 3);
  CHECK(with.curriculum_length(1) == 5);
  CHECK(with.curriculum_must_finish());
  CHECK(without.curriculum_epochs() == 0);
  CHECK(without.curriculum_length(1) == 0);
  auto options = growing();
  options.curriculum.must_finish = false;
  CHECK_FALSE(SerialRecall(options).curriculum_must_finish());
}

TEST_CASE("training sequences grow with the epochs, those of validation and test have full length",
          "[M29]") {
  const SerialRecall problem(growing());
  const std::vector<Index> expected{2, 5, 8, 10, 10};
  for (Index epoch = 0; epoch < 5; ++epoch)
    CHECK(symbols_of(problem, Section::train, rows_from(epoch * 50, 50))
          == std::set<Index>{expected[static_cast<std::size_t>(epoch)]});
  CHECK(symbols_of(problem, Section::validation, rows_from(0, 20)) == std::set<Index>{10});
  CHECK(symbols_of(problem, Section::test, rows_from(0, 20)) == std::set<Index>{10});
}

TEST_CASE("a curriculum limits the longest of sequences of several lengths", "[M29]") {
  auto options = growing();
  options.min_length = 4;
  const SerialRecall problem(options);
  CHECK(symbols_of(problem, Section::train, rows_from(0, 50)) == std::set<Index>{2});
  CHECK(symbols_of(problem, Section::train, rows_from(50, 50)) == std::set<Index>{4, 5});
  CHECK(symbols_of(problem, Section::train, rows_from(100, 50)) == std::set<Index>{4, 5, 6, 7, 8});
}

TEST_CASE("every sequence task has a curriculum", "[M29]") {
  const CurriculumOptions two{.initial = 2};
  const auto first = rows_from(0, 50);
  CHECK(symbols_of(ReverseRecall({.curriculum = two}), Section::train, first)
        == std::set<Index>{1, 2});
  CHECK(symbols_of(Tagging({.curriculum = two}), Section::train, first) == std::set<Index>{1, 2});
  CHECK(symbols_of(Addition({.curriculum = two}), Section::train, first)
        == std::set<Index>{2, 3}); // the sum has one digit more
}

TEST_CASE("where examples repeat, they do so after the curriculum", "[M29]") {
  auto options = growing();
  options.endless = false;
  const SerialRecall problem(options);
  const auto tokens = [&](Index row) {
    Batch batch;
    problem.gather(Section::train, std::vector<Index>{row}, batch);
    return batch.inputs[0].values;
  };
  for (Index row = 0; row < 50; ++row) {
    CHECK(tokens(150 + row) == tokens(200 + row));
    CHECK(tokens(100 + row) != tokens(150 + row));
  }
}

TEST_CASE("all workers have sequences of the same length in an epoch, whatever their shard",
          "[M29]") {
  const SerialRecall problem(growing());
  for (Index shard = 0; shard < 3; ++shard) { // of 17, 17 and 16 examples
    BatchOrder order{{.examples = problem.size(Section::train),
                      .batch_size = 4,
                      .endless = problem.endless(),
                      .shards = 3,
                      .shard = shard}};
    std::vector<Index> rows;
    for (Step cursor = 0; cursor < 5 * order.batches_per_epoch(); ++cursor) {
      order.rows(cursor, rows);
      REQUIRE(symbols_of(problem, Section::train, rows)
              == std::set<Index>{problem.curriculum_length(order.epoch(cursor))});
    }
  }
}
