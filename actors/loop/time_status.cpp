#include "actors/loop/time_status.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

void TimeStatus::start(const RunState& run, double now, std::function<CoreUse()> use) {
  *this = {};
  last_ = began_ = now;
  training_before_ = run.position.training_seconds;
  reading_before_ = run.totals.reading_seconds;
  batches_before_ = run.position.batches;
  use_ = std::move(use);
  if (use_)
    use_before_ = use_();
}

void TimeStatus::go_on(double now) {
  if (held_since_)
    held_seconds_ += now - *std::exchange(held_since_, std::nullopt);
}

Records TimeStatus::records(const RunState& run, const Subscriptions& subscriptions, double now) {
  last_ = now;
  SpentTime spent;
  spent.seconds = now - began_;
  spent.reading = run.totals.reading_seconds - reading_before_;
  spent.gradient = gradient.seconds();
  spent.update = std::max(0.0, run.position.training_seconds - training_before_ - spent.gradient);
  spent.held = held_seconds_ + (held_since_ ? now - *held_since_ : 0);
  spent.batches = run.position.batches - batches_before_;
  for (const auto& report : subscriptions.reports()) {
    if (report.waited_seconds > 0)
      spent.gates[report.name].seconds = report.waited_seconds;
    if (report.lost > 0)
      spent.lost[report.name] = report.lost;
  }
  for (const auto& subscription : subscriptions.all())
    if (!subscription->spent.empty())
      spent.gates[subscription->name].parts = subscription->spent;
  if (use_) {
    const auto use = use_();
    spent.use = {use.worked - use_before_.worked, std::max(0.0, use.waited - use_before_.waited),
                 use.cores};
  }
  return records_of(spent);
}

} // namespace troupe
