#include "extensions/monitoring/monitored_quantity.hpp"

#include "base/text/known_word.hpp"
#include "extensions/support/saved_state.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace troupe {

namespace {

constexpr std::array aggregations{LossAggregation::weighted, LossAggregation::mean,
                                  LossAggregation::last,     LossAggregation::minimum,
                                  LossAggregation::maximum,  LossAggregation::concatenate};

/// The smallest or the largest loss.
class ExtremeLoss : public MonitoredQuantity {
public:
  explicit ExtremeLoss(bool greatest) : greatest_(greatest) {}

  std::string name() const override { return "loss"; }
  void initialize() override { loss_ = std::numeric_limits<double>::quiet_NaN(); }
  void aggregate(const LoopEvent& batch) override { // both ignore NaN
    loss_ = greatest_ ? std::fmax(loss_, batch.loss) : std::fmin(loss_, batch.loss);
  }
  Value value() const override { return Value{loss_}; }
  SavedFields state() const override { return {{"loss", Value{loss_}}}; }
  void restore(const SavedFields& state) override { take(state, "loss", loss_); }

private:
  bool greatest_;
  double loss_ = std::numeric_limits<double>::quiet_NaN();
};

/// All losses in order.
class Losses : public MonitoredQuantity {
public:
  std::string name() const override { return "loss"; }
  void initialize() override { losses_.clear(); }
  void aggregate(const LoopEvent& batch) override {
    losses_ += (losses_.empty() ? "" : " ") + shortest(batch.loss);
  }
  Value value() const override { return Value{losses_}; }
  SavedFields state() const override { return {{"losses", Value{losses_}}}; }
  void restore(const SavedFields& state) override { take(state, "losses", losses_); }

private:
  std::string losses_;
};

} // namespace

std::string to_string(LossAggregation aggregation) {
  switch (aggregation) {
  case LossAggregation::weighted: return "weighted";
  case LossAggregation::mean: return "mean";
  case LossAggregation::last: return "last";
  case LossAggregation::minimum: return "minimum";
  case LossAggregation::maximum: return "maximum";
  case LossAggregation::concatenate: return "concatenate";
  }
  return "unknown aggregation";
}

bool from_text(std::string_view text, LossAggregation& aggregation) {
  return from_known_word(text, aggregation, aggregations);
}

std::shared_ptr<MonitoredQuantity> loss_quantity(LossAggregation aggregation) {
  switch (aggregation) {
  case LossAggregation::minimum:
  case LossAggregation::maximum:
    return std::make_shared<ExtremeLoss>(aggregation == LossAggregation::maximum);
  case LossAggregation::concatenate: return std::make_shared<Losses>();
  default: return nullptr;
  }
}

} // namespace troupe
