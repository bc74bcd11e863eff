// How a worker's way to its holders carries the end of the run, there and back.
#include "troupe/actors/remote_holder_state.hpp"

#include <utility>

namespace troupe {

namespace {

constexpr double renewal_slack = 0.25; // seconds by which another's renewal may come late

} // namespace

/// Where the worker left at once, the rounds of those who have not heard of it would close without
/// it. So its trainer hears it when they have, with their next renewals.
void RemoteHolderState::stop_all(const StopAll& stop) {
  if (ends_at_ || stop_passed_on_)
    return; // training is ending, for the reason that came first
  ending_ = stop;
  if (!join_ || !shards_.front().route) {
    say(Level::warning, "cannot tell the others that training ends; stop them by hand");
    pass_on_stop(stop.reason);
    return;
  }
  self_->send(shards_.front().route->control, stop);
  ends_at_ = now() + options_.lease + renewal_slack;
}

void RemoteHolderState::pass_on_stop(const std::string& reason) {
  if (!reason.empty() && !std::exchange(stop_passed_on_, true))
    for (const auto& trainer : watching_)
      self_->send(trainer, Stop{StopLevel::after_batch, reason, false});
}

} // namespace troupe
