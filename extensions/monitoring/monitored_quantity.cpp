#include "extensions/monitoring/monitored_quantity.hpp"

#include "extensions/support/saved_state.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace troupe {

namespace {

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
