#include "model/data/images/digits.hpp"
#include "model/data/sequences/recall.hpp"
#include "model/data/wrapped_problem.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

std::vector<std::string> names_of_counts(const StatisticsSource& source) {
  std::vector<std::string> names;
  for (const auto& statistic : source.statistics())
    names.push_back(statistic.name);
  return names;
}

} // namespace

TEST_CASE("a problem that wraps another forwards all functions that it does not override",
          "[M13][M29]") {
  const auto recall = std::make_shared<SerialRecall>(
    RecallOptions{.max_length = 6,
                  .train = 20,
                  .test = 7,
                  .curriculum = {.initial = 2, .step = 1, .must_finish = false}});
  const WrappedProblem wrapped{recall};
  CHECK(wrapped.name() == "serial_recall");
  CHECK(wrapped.spec() == recall->spec());
  CHECK(wrapped.size(Section::train) == 20);
  CHECK(wrapped.size(Section::test) == 7);
  CHECK(wrapped.endless());
  CHECK(wrapped.epochs() == 0);
  CHECK(wrapped.curriculum_epochs() == 4);
  CHECK(wrapped.curriculum_length(1) == 3);
  CHECK_FALSE(wrapped.curriculum_must_finish());
  CHECK(wrapped.class_names() == recall->class_names());
  Batch batch, same;
  wrapped.gather(Section::test, std::vector<Index>{3, 1}, batch);
  recall->gather(Section::test, std::vector<Index>{3, 1}, same);
  CHECK(batch.inputs[0].values == same.inputs[0].values);
}

TEST_CASE("a wrapped problem reports the statistics of the other one", "[M32]") {
  const auto recall = std::make_shared<SerialRecall>();
  const WrappedProblem wrapped{recall};
  CHECK(names_of_counts(wrapped) == names_of_counts(*recall));
  Batch batch;
  recall->gather(Section::train, std::vector<Index>{0, 1}, batch);
  CHECK(wrapped.collect_statistics(batch, {}) == recall->collect_statistics(batch, {}));
  const WrappedProblem silent{std::make_shared<Digits>()};
  CHECK(silent.statistics().empty());
  CHECK(silent.collect_statistics(batch, {}).empty());
  CHECK_FALSE(silent.reads_prediction());
}
