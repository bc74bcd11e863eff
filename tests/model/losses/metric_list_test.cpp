// The metrics that a configuration asks for, compared with direct counts.
#include "model/losses/make_loss.hpp"
#include "model/losses/metric_list.hpp"
#include "model/tensor/random.hpp"
#include "model/zoo/network.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <map>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

/// Predictions of `rows` rows and their classes, some masked; with few different numbers and so
/// with ties.
struct Scored {
  std::vector<double> prediction;
  BasicBatchField<double> target;
  Index width;

  Scored(Index rows, Index classes, std::uint64_t seed) : width(classes) {
    Random random(RandomKey{seed});
    for (Index i = 0; i < rows * classes; ++i)
      prediction.push_back(static_cast<double>(random.below(7)) / 2);
    for (Index i = 0; i < rows; ++i)
      target.classes.push_back(static_cast<std::int32_t>(random.below(classes + 1) - 1));
  }

  Comparison<double> comparison() const { return {prediction, width, target}; }
  double at(Index row, Index column) const {
    return prediction[static_cast<std::size_t>(row * width + column)];
  }
  Index predicted(Index row) const {
    Index best = 0;
    for (Index j = 1; j < width; ++j)
      best = at(row, j) > at(row, best) ? j : best;
    return best;
  }
  Index rows() const { return static_cast<Index>(target.classes.size()); }
  Index actual(Index row) const { return target.classes[static_cast<std::size_t>(row)]; }
};

FieldSpec classes_target(Index classes) {
  return {"y", ElementType::class_index, {any_size}, classes, true};
}

std::map<std::string, double> as_map(const Metrics& metrics) {
  const auto values = metrics.values();
  return {values.begin(), values.end()};
}

std::map<std::string, double> measure(const std::vector<std::string>& names, const Scored& scored) {
  Metrics metrics;
  MetricList<double>(names, classes_target(scored.width)).add(scored.comparison(), metrics);
  return as_map(metrics);
}

} // namespace

TEST_CASE("top_k counts the rows with fewer than k numbers ahead of their class", "[metrics]") {
  const Scored scored(200, 6, 1);
  const auto values = measure({"top_2", "top_5"}, scored);
  for (const Index k : {2, 5}) {
    double within = 0, count = 0;
    for (Index i = 0; i < scored.rows(); ++i) {
      if (scored.actual(i) < 0)
        continue;
      std::vector<std::pair<double, Index>> sorted;
      for (Index j = 0; j < 6; ++j)
        sorted.emplace_back(-scored.at(i, j), j);
      std::sort(sorted.begin(), sorted.end());
      ++count;
      for (Index j = 0; j < k; ++j)
        within += sorted[static_cast<std::size_t>(j)].second == scored.actual(i);
    }
    CHECK(values.at("top_" + std::to_string(k)) == Approx(within / count));
  }
}

TEST_CASE("the confusion counts each pair of classes, without masked rows", "[metrics]") {
  const Scored scored(300, 4, 2);
  const auto values = measure({"confusion"}, scored);
  CHECK(values.size() == 16);
  for (Index a = 0; a < 4; ++a)
    for (Index p = 0; p < 4; ++p) {
      double expected = 0;
      for (Index i = 0; i < scored.rows(); ++i)
        expected += scored.actual(i) == a && scored.predicted(i) == p;
      CHECK(values.at("confusion_" + std::to_string(a) + "_" + std::to_string(p)) == expected);
    }
}

TEST_CASE("precision, recall and F1 are means over the classes", "[metrics]") {
  const Scored scored(100, 5, 3);
  const auto values = measure({"precision", "recall", "f1"}, scored);
  double precision = 0, recall = 0, f1 = 0;
  for (Index c = 0; c < 5; ++c) {
    double right = 0, wrong = 0, missed = 0;
    for (Index i = 0; i < scored.rows(); ++i) {
      const auto actual = scored.actual(i) == c, predicted = scored.predicted(i) == c;
      right += actual && predicted;
      wrong += scored.actual(i) >= 0 && !actual && predicted;
      missed += actual && !predicted;
    }
    precision += right / (right + wrong) / 5;
    recall += right / (right + missed) / 5;
    f1 += right / (right + (wrong + missed) / 2) / 5;
  }
  CHECK(values.at("precision") == Approx(precision));
  CHECK(values.at("recall") == Approx(recall));
  CHECK(values.at("f1") == Approx(f1));
}

TEST_CASE("a class that neither occurs nor is predicted does not lower the means", "[metrics]") {
  Scored scored(0, 3, 0);
  scored.prediction = {1, 0, 0, 0, 1, 0};
  scored.target.classes = {0, 1};
  CHECK(measure({"f1"}, scored).at("f1") == 1);
}

TEST_CASE("a class that is predicted but does not occur lowers the means", "[metrics]") {
  Scored scored(0, 3, 0);
  scored.prediction = {1, 0, 0, 0, 1, 0};
  scored.target.classes = {0, 0};
  CHECK(measure({"precision"}, scored).at("precision") == 0.5); // 1 of class 0, 0 of class 1
}

TEST_CASE("perplexity is the exponential of the mean negative log-likelihood", "[metrics]") {
  const Scored scored(50, 3, 4);
  double sum = 0, count = 0;
  for (Index i = 0; i < scored.rows(); ++i) {
    if (scored.actual(i) < 0)
      continue;
    double all = 0;
    for (Index j = 0; j < 3; ++j)
      all += std::exp(scored.at(i, j));
    sum -= std::log(std::exp(scored.at(i, scored.actual(i))) / all);
    ++count;
  }
  CHECK(measure({"perplexity"}, scored).at("perplexity") == Approx(std::exp(sum / count)));
}

TEST_CASE("auc is the share of pairs in the correct order", "[metrics]") {
  const Scored scored(80, 2, 5);
  double won = 0, pairs = 0;
  for (Index i = 0; i < scored.rows(); ++i)
    for (Index k = 0; k < scored.rows(); ++k)
      if (scored.actual(i) == 1 && scored.actual(k) == 0) {
        const auto above = scored.at(i, 1) - scored.at(i, 0),
                   below = scored.at(k, 1) - scored.at(k, 0);
        won += above > below ? 1 : above == below ? 0.5 : 0;
        ++pairs;
      }
  CHECK(measure({"auc"}, scored).at("auc") == Approx(won / pairs));
}

TEST_CASE("auc divides numeric targets at 1/2", "[metrics]") {
  const std::vector<double> prediction{-1, 2, 0, 1};
  const BasicBatchField<double> target{.values = {0, 1, 1, 0}, .classes = {}};
  Metrics metrics;
  MetricList<double>({"auc"}, {"y", ElementType::float32, {any_size, 1}, 0})
    .add({prediction, 1, target}, metrics);
  CHECK(as_map(metrics).at("auc") == 0.75);
}

TEST_CASE("metrics of batches and of merged parts equal those of the whole exactly",
          "[metrics][T26]") {
  const std::vector<std::string> names{"top_2", "precision", "recall", "f1", "confusion", "auc"};
  const Scored first(30, 2, 6), second(7, 2, 7);
  Scored both(0, 2, 0);
  for (const auto* part : {&first, &second}) {
    both.prediction.insert(both.prediction.end(), part->prediction.begin(), part->prediction.end());
    for (auto c : part->target.classes)
      both.target.classes.push_back(c);
  }
  const MetricList<double> list(names, classes_target(2));
  Metrics batches, left, right, whole;
  list.add(first.comparison(), batches);
  list.add(second.comparison(), batches);
  list.add(first.comparison(), left);
  list.add(second.comparison(), right);
  list.add(both.comparison(), whole);
  left.merge(right);
  CHECK(batches.values() == whole.values());
  CHECK(left.values() == whole.values());
  Metrics empty;
  empty.merge(whole);
  CHECK(empty.values() == whole.values());
}

TEST_CASE("metrics of nothing are 0 and listed as undefined", "[metrics][T26]") {
  Metrics metrics;
  Scored none(1, 2, 0);
  none.target.classes = {masked_class};
  MetricList<double>({"top_2", "f1", "perplexity", "auc"}, classes_target(2))
    .add(none.comparison(), metrics);
  for (const auto& [name, value] : metrics.values())
    CHECK(value == 0);
  CHECK(metrics.undefined().size() == 4);
}

TEST_CASE("a metric that is unknown or does not fit the target is refused", "[metrics]") {
  const auto make
    = [](const std::string& name, const FieldSpec& target) { MetricList<float>({name}, target); };
  const FieldSpec numbers{"y", ElementType::float32, {any_size, 1}, 0};
  CHECK_THROWS_WITH(make("top_x", classes_target(9)),
                    Contains("no metric 'top_x'") && Contains("perplexity"));
  CHECK_THROWS_WITH(make("top_10", classes_target(9)), Contains("of 9 classes"));
  CHECK_THROWS_WITH(make("auc", classes_target(3)), Contains("two classes"));
  CHECK_THROWS_WITH(make("confusion", classes_target(33)), Contains("at most 32"));
  CHECK_THROWS_WITH(make("f1", numbers), Contains("needs classes") && Contains("float32"));
}

TEST_CASE("auc of a regression is refused", "[metrics]") {
  const FieldSpec numbers{"y", ElementType::float32, {any_size, 1}, 0};
  for (const auto& name : loss_names()) {
    const auto loss = make_loss<float>({name});
    if (loss->target_kind() == TargetKind::class_index)
      continue;
    INFO(name);
    if (name == "mean_squared_error" || name == "mean_absolute_error" || name == "smooth_l1"
        || name == "poisson" || name == "kl_divergence")
      CHECK_THROWS_WITH((MetricList<float>({"auc"}, numbers, loss)),
                        Contains(name) && Contains("binary targets")
                          && Contains("binary_cross_entropy"));
    else
      CHECK_NOTHROW(MetricList<float>({"auc"}, numbers, loss));
  }
}

TEST_CASE("a network reports the metrics that its options ask for", "[metrics]") {
  const DataSpec data{{{"x", ElementType::float32, {any_size, 1}, 0}}, {classes_target(3)}};
  Network network(data, {.hidden = {}, .metrics = {"f1", "top_2"}});
  const auto copy = network.clone();
  const std::vector<float> parameters(static_cast<std::size_t>(network.layout().size()));
  Batch batch;
  batch.size = 2;
  batch.inputs.resize(1);
  batch.inputs[0].values = {1, 2};
  batch.targets.resize(1);
  batch.targets[0].classes = {0, 2};
  for (auto* model : {static_cast<Model*>(&network), copy.get()}) {
    Metrics metrics;
    model->evaluate(parameters, batch, metrics);
    const auto values = as_map(metrics);
    CHECK(values.at("top_2") == 0.5);
    CHECK(values.at("f1") == Approx(1.0 / 3)); // 2/3 of class 0, 0 of class 2
  }
}

TEST_CASE("auc ignores the numbers that the loss ignores", "[metrics]") {
  const auto area_with = [](const std::string& loss) {
    const std::vector<double> prediction{-1, 2, 5, 1};
    const BasicBatchField<double> target{.values = {0, 1, -1, 0}, .classes = {}};
    Metrics metrics;
    MetricList<double>({"auc"}, {"y", ElementType::float32, {any_size, 1}, 0},
                       make_loss<double>({loss}))
      .add({prediction, 1, target}, metrics);
    return as_map(metrics).at("auc");
  };
  CHECK(area_with("masked_binary_cross_entropy") == 1);
  CHECK(area_with("soft_margin") == Approx(2.0 / 3)); // whose targets are -1 and 1
}

TEST_CASE("auc of hinge_embedding ranks small distances highest", "[metrics]") {
  const std::vector<double> distance{0.1, 0.2, 0.9, 0.5};
  const BasicBatchField<double> target{.values = {1, 1, -1, -1}, .classes = {}};
  Metrics metrics;
  MetricList<double>({"auc"}, {"y", ElementType::float32, {any_size, 1}, 0},
                     make_loss<double>({"hinge_embedding"}))
    .add({distance, 1, target}, metrics);
  CHECK(as_map(metrics).at("auc") == 1);
}

TEST_CASE("a network's auc ignores what its loss ignores", "[metrics]") {
  const DataSpec data{{{"x", ElementType::float32, {any_size, 1}, 0}},
                      {{"y", ElementType::float32, {any_size, 1}, 0}}};
  Network network(data, {.hidden = {}, .loss = "masked_binary_cross_entropy", .metrics = {"auc"}});
  const std::vector<float> parameters{1, 0};
  Batch batch;
  batch.size = 3;
  batch.inputs = {{.values = {1, 2, 9}, .classes = {}}};
  batch.targets = {{.values = {0, 1, -1}, .classes = {}}};
  Metrics metrics;
  network.evaluate(parameters, batch, metrics);
  CHECK(as_map(metrics).at("auc") == 1);
}

TEST_CASE("a row of NaN predictions has no predicted class", "[metrics]") {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> prediction{nan, nan, 1, 0, 2, nan};
  const BasicBatchField<double> target{.values = {}, .classes = {0, 0, masked_class}};
  Metrics metrics;
  MetricList<double>({"recall", "confusion"}, classes_target(2))
    .add({prediction, 2, target}, metrics);
  CHECK(as_map(metrics).at("recall") == 0.5);
  CHECK(as_map(metrics).at("confusion_0_0") == 1);
  std::vector<double> scratch(6);
  Metrics of_loss;
  make_loss<double>({"masked_cross_entropy"})->evaluate({prediction, 2, target}, scratch, of_loss);
  CHECK(as_map(of_loss).at("accuracy") == 0.5);
}
