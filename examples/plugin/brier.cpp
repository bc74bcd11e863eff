// A metric of one's own: the mean square of the difference between what was predicted and what happened.
// Brier, "Verification of forecasts expressed in terms of probability", 1950.
#include <troupe/model/losses/metric_kind.hpp>

namespace {

using namespace troupe;

/// mean (p - y)^2 over the numbers of the target; of losses that leave some out, the others.
class Brier final : public PredictionMetric<float> {
public:
  explicit Brier(const MetricTask<float>& task) : loss_(task.loss) {}

  void add(const Comparison<float>& comparison, Metrics& metrics) const override {
    double squares = 0, count = 0;
    for (std::size_t i = 0; i < comparison.prediction.size(); ++i)
      if (const auto y = comparison.target.values[i]; !loss_ || loss_->counts(y)) {
        const auto difference = double{comparison.prediction[i]} - y;
        squares += difference * difference;
        ++count;
      }
    metrics.add_mean("brier", squares, count);
  }

private:
  std::shared_ptr<const Loss<float>> loss_;
};

std::shared_ptr<const PredictionMetric<float>> make_brier(const std::vector<std::string>& names,
                                                          const MetricTask<float>& task) {
  if (task.target.type == ElementType::class_index)
    refuse_metric(names.front(), task.target, "numbers");
  return std::make_shared<Brier>(task);
}

const RegisterMetric brier_kind{{"brier", make_brier}};

} // namespace
