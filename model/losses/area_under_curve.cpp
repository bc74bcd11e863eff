// auc: for two classes, or for targets above and not above 1/2 with a suitable loss
// (metrics/ranked_scores.hpp).
#include "model/losses/class_rows.hpp"
#include "model/losses/metric_kind.hpp"

#include <stdexcept>

namespace troupe {

namespace {

template <class Scalar>
class AreaUnderCurve final : public PredictionMetric<Scalar> {
public:
  AreaUnderCurve(const std::vector<std::string>&, const MetricTask<Scalar>& task)
    : loss_(task.loss) {
    if (task.target.type == ElementType::class_index) {
      if (task.target.classes != 2)
        refuse_metric("auc", task.target, "two classes");
    } else if (loss_ && !loss_->is_binary()) {
      throw std::invalid_argument("metric auc needs binary targets, but " + loss_->name()
                                  + " compares any numbers; leave it out, or set "
                                  + "model.loss to a binary one, like binary_cross_entropy");
    }
  }

  void add(const Comparison<Scalar>& comparison, Metrics& metrics) const override {
    auto& scores = metrics.scores();
    const auto& target = comparison.target;
    for (std::size_t i = 0; i < target.classes.size(); ++i)
      if (const auto c = target.classes[i]; c != masked_class) {
        const auto* row = comparison.prediction.data() + static_cast<Index>(i) * comparison.width;
        scores.add(double{row[1]} - row[0], c == 1);
      }
    if (!target.classes.empty())
      return;
    for (std::size_t i = 0; i < comparison.prediction.size(); ++i) {
      const auto prediction = comparison.prediction[i];
      if (const auto value = target.values[i]; !loss_ || loss_->counts(value))
        scores.add(loss_ ? loss_->score(prediction) : prediction, value > Scalar(0.5));
    }
  }

private:
  std::shared_ptr<const Loss<Scalar>> loss_;
};

const RegisterMetric area_under_curve_kind{metric_kind<AreaUnderCurve>("auc")};

} // namespace

} // namespace troupe
