// Metrics that register themselves, and those of a test's own among them.
#include "model/losses/metric_kind.hpp"
#include "model/losses/metric_list.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <stdexcept>

using namespace troupe;
using Catch::Contains;

namespace {

/// The number of predictions above 0; of float only.
class AboveZero final : public PredictionMetric<float> {
public:
  void add(const Comparison<float>& comparison, Metrics& metrics) const override {
    const auto& given = comparison.prediction;
    metrics.add_mean(
      "above_zero_of_a_test",
      static_cast<double>(std::count_if(given.begin(), given.end(), [](float x) { return x > 0; })),
      static_cast<double>(given.size()));
  }
};

const RegisterMetric above_zero_kind{
  {"above_zero_of_a_test", [](const std::vector<std::string>&, const MetricTask<float>&) {
     return std::make_shared<AboveZero>();
   }}};

const FieldSpec number_target{"y", ElementType::float32, {any_size, 1}, 0};

} // namespace

TEST_CASE("a metric registered in a file of its own is measured by its name", "[metrics]") {
  const std::vector<float> prediction{1, -1, 2, 3};
  BasicBatchField<float> target;
  target.values = {0, 0, 0, 0};
  Metrics metrics;
  MetricList<float>({"above_zero_of_a_test"}, number_target).add({prediction, 1, target}, metrics);
  REQUIRE(metrics.values().size() == 1);
  CHECK(metrics.values().front().second == 0.75);
}

TEST_CASE("an unknown metric is refused with those that are registered", "[metrics]") {
  CHECK_THROWS_WITH(MetricList<float>({"none_such"}, number_target),
                    Contains("above_zero_of_a_test") && Contains("top_2") && Contains("f1"));
}

TEST_CASE("a metric that is made for float refuses a model of double", "[metrics]") {
  CHECK_THROWS_WITH(MetricList<double>({"above_zero_of_a_test"}, number_target),
                    Contains("models of float only"));
  // cure: measures models of float only; leave it out
  CHECK_NOTHROW(MetricList<double>({}, number_target));
}

TEST_CASE("each metric of the library is registered once", "[metrics]") {
  CHECK(metric_kinds().repeated().empty());
  for (const auto* name : {"auc", "class_metrics", "perplexity", "top_accuracy"})
    CHECK(metric_kinds().find(name) != nullptr);
}
