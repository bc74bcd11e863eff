// precision, recall, f1: means over the classes, also if there are two
// (metrics/class_counts.hpp). confusion: one metric for each pair of up to 32 classes,
// confusion_0_1: how often 1 was predicted where the class was 0.
#include "model/losses/class_rows.hpp"
#include "model/losses/metric_kind.hpp"

namespace troupe {

namespace {

template <class Scalar>
class ClassMetrics final : public PredictionMetric<Scalar> {
public:
  ClassMetrics(const std::vector<std::string>& names, const MetricTask<Scalar>& task)
    : names_(names) {
    constexpr Index most_confused = 32;
    for (const auto& name : names) {
      need_classes(name, task.target);
      if (name == "confusion" && task.target.classes > most_confused)
        refuse_metric(name, task.target, "at most " + std::to_string(most_confused) + " classes");
    }
  }

  void add(const Comparison<Scalar>& comparison, Metrics& metrics) const override {
    const auto width = static_cast<std::size_t>(comparison.width);
    auto& counts = metrics.class_counts(names_, comparison.width);
    for (std::size_t i = 0; i < comparison.target.classes.size(); ++i)
      if (const auto c = comparison.target.classes[i]; c != masked_class)
        counts.add(c, predicted_class(comparison.prediction.subspan(i * width, width)));
  }

private:
  std::vector<std::string> names_;
};

MetricKind class_metrics() {
  auto kind = metric_kind<ClassMetrics>("class_metrics");
  kind.names = {"precision", "recall", "f1", "confusion"};
  return kind;
}

const RegisterMetric class_metrics_kind{class_metrics()};

} // namespace

} // namespace troupe
