#include "model/data/batch_order.hpp"
#include "model/data/images/digits.hpp"
#include "model/data/sampled_problem.hpp"
#include "model/data/sequences/recall.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/symbols.hpp"
#include "tests/support/toy_problem.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace troupe;

namespace {

/// Chooses rows of the training section, and nothing for the others.
SectionSamples training_rows(std::vector<Index> rows) {
  SectionSamples samples;
  samples[0] = SectionSample{Section::train, std::move(rows)};
  return samples;
}

/// The inputs of a toy problem's section: its row numbers.
std::vector<float> rows_seen(const Problem& problem, Section section) {
  const auto batch = test::gather_all(problem, section);
  return {batch.inputs[0].values.begin(), batch.inputs[0].values.end()};
}

class Streams : public test::ToyProblem {
public:
  Streams() : ToyProblem(12, 12), spec_(ToyProblem::spec()) { spec_.streams = 3; }
  const DataSpec& spec() const override { return spec_; }

private:
  DataSpec spec_;
};

} // namespace

TEST_CASE("a sampled section has the sample's rows in order, and others are unchanged", "[M13]") {
  const auto toy = std::make_shared<test::ToyProblem>(10);
  const SampledProblem sampled{toy, training_rows({7, 2, 9})};
  CHECK(sampled.size(Section::train) == 3);
  CHECK(sampled.size(Section::validation) == toy->size(Section::validation));
  CHECK(rows_seen(sampled, Section::train) == std::vector<float>{7, 2, 9});
}

TEST_CASE("a section may have rows of another section", "[M13]") {
  const auto toy = std::make_shared<test::ToyProblem>(10);
  SectionSamples samples;
  samples[1] = SectionSample{Section::train, {8, 9}};
  const SampledProblem sampled{toy, samples};
  CHECK(sampled.size(Section::train) == 10);
  CHECK(sampled.size(Section::validation) == 2);
  CHECK(rows_seen(sampled, Section::validation) == std::vector<float>{8, 9});
}

TEST_CASE("an epoch, its batches and the shards of workers count the sample", "[M13][M14]") {
  const auto toy = std::make_shared<test::ToyProblem>(100);
  const SampledProblem sampled{toy, training_rows({90, 3, 55, 20, 41, 8, 77})};
  for (Index shard = 0; shard < 2; ++shard) {
    BatchOrder order{{.examples = sampled.size(Section::train),
                      .batch_size = 2,
                      .shards = 2,
                      .shard = shard,
                      .key = {5}}};
    CHECK(order.examples_per_epoch() == (shard == 0 ? 4 : 3));
    std::vector<Index> rows;
    Batch batch;
    for (Step cursor = 0; cursor < order.batches_per_epoch(); ++cursor) {
      order.rows(cursor, rows);
      sampled.gather(Section::train, rows, batch);
    }
  }
  auto asked = toy->asked();
  std::sort(asked.begin(), asked.end());
  CHECK(asked == std::vector<Index>{3, 8, 20, 41, 55, 77, 90});
}

TEST_CASE("an endless problem's sample is new in each epoch, at the same positions", "[M13]") {
  DigitsOptions options;
  options.train = 20;
  options.endless = true;
  const auto digits = std::make_shared<Digits>(options);
  const SampledProblem sampled{digits, training_rows({4, 11})};
  CHECK(sampled.endless());
  Batch chosen, same;
  sampled.gather(Section::train, std::vector<Index>{3, 4}, chosen);
  digits->gather(Section::train, std::vector<Index>{20 + 11, 40 + 4}, same);
  CHECK(chosen.inputs[0].values == same.inputs[0].values);
}

TEST_CASE("a sample of a sample has the rows of both", "[M13]") {
  const auto toy = std::make_shared<test::ToyProblem>(10);
  const auto once = std::make_shared<SampledProblem>(toy, training_rows({7, 2, 9}));
  const SampledProblem twice{once, training_rows({2, 0})};
  CHECK(rows_seen(twice, Section::train) == std::vector<float>{9, 7});
}

TEST_CASE("rows beyond a sample or a section are refused", "[M13]") {
  const auto toy = std::make_shared<test::ToyProblem>(10);
  CHECK_THROWS_AS((SampledProblem{toy, training_rows({10})}), std::invalid_argument);
  const SampledProblem sampled{toy, training_rows({1, 2})};
  Batch batch;
  CHECK_THROWS_AS(sampled.gather(Section::train, std::vector<Index>{2}, batch), std::out_of_range);
}

TEST_CASE("a sampled problem keeps its curriculum and its statistics", "[M13][M29][M32]") {
  RecallOptions options;
  options.train = 20;
  options.max_length = 6;
  options.curriculum.initial = 2;
  const auto recall = std::make_shared<SerialRecall>(options);
  const SampledProblem sampled{recall, training_rows({4, 11, 3})};
  CHECK(sampled.curriculum_epochs() == 4);
  CHECK(sampled.curriculum_length(1) == 3);
  CHECK(sampled.curriculum_must_finish());
  REQUIRE(sampled.statistics().size() == recall->statistics().size());
  CHECK_FALSE(sampled.reads_prediction());
  Batch batch;
  sampled.gather(Section::train, std::vector<Index>{0, 1, 2}, batch); // in epoch 0
  CHECK(sampled.collect_statistics(batch, {}) == recall->collect_statistics(batch, {}));
}

TEST_CASE("training rows cannot be chosen from streams", "[M13][carry]") {
  CHECK_THROWS_WITH((SampledProblem{std::make_shared<Streams>(), training_rows({1, 2})}),
                    Catch::Contains("streams"));
}

TEST_CASE("from streams only whole batches in order can be chosen for evaluation", "[M13][carry]") {
  const auto with = [](std::vector<Index> rows) {
    SectionSamples samples;
    samples[1] = SectionSample{Section::validation, std::move(rows)};
    return SampledProblem{std::make_shared<Streams>(), samples};
  };
  CHECK_NOTHROW(with({3, 4, 5, 6, 7, 8}));
  for (const auto& torn :
       std::vector<std::vector<Index>>{{1, 2, 3}, {3, 4}, {4, 3, 5}, {0, 1, 2, 6, 7, 8}})
    CHECK_THROWS_WITH(with(torn),
                      Catch::Contains("3 streams") && Catch::Contains("whole batches in order"));
}

TEST_CASE("training rows that are used for evaluation have the full length of a curriculum",
          "[M13][M29]") {
  const auto endless = GENERATE(true, false);
  const RecallOptions options{.min_length = 6,
                              .max_length = 6,
                              .train = 20,
                              .endless = endless,
                              .curriculum = {.initial = 2, .step = 2}};
  SectionSamples samples = training_rows({0, 1, 2});
  samples[1] = SectionSample{Section::train, {18, 19}};
  const SampledProblem sampled{std::make_shared<SerialRecall>(options), samples};
  CHECK(test::symbols_in(sampled, Section::train, {0, 1, 2}) == std::vector<Index>{2, 2, 2});
  CHECK(test::symbols_in(sampled, Section::validation, {0, 1}) == std::vector<Index>{6, 6});
}

TEST_CASE("training on another section has no curriculum", "[M13][M29]") {
  const RecallOptions options{
    .min_length = 6, .max_length = 6, .train = 20, .curriculum = {.initial = 2}};
  SectionSamples samples;
  samples[0] = SectionSample{Section::validation, {0, 1}};
  const SampledProblem sampled{std::make_shared<SerialRecall>(options), samples};
  CHECK(test::symbols_in(sampled, Section::train, {0, 1}) == std::vector<Index>{6, 6});
  CHECK(sampled.curriculum_epochs() == 0);
  CHECK(sampled.curriculum_length(0) == 0);
}
