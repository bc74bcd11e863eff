#include "messages/parameters/end_relay.hpp"

#include <utility>

namespace troupe {

bool EndRelay::begin(const StopAll& stop, double now) {
  if (own_ || passed_on_)
    return false;
  own_ = Own{stop, now, {}};
  return true;
}

EndRelay::Act EndRelay::hear(const StopAll& stop, double now, double lease) {
  constexpr double slack = 0.25; // seconds by which another's renewal may come late
  if (!own_)
    return pass_on(stop);
  if (!stop.reason.empty()) {
    if (!own_->heard_at)
      own_->heard_at = now + lease + slack;
    return Act::nothing;
  }
  own_->heard_at.reset();
  stop_ = own_->stop;
  return Act::tell_holder;
}

void EndRelay::lose_holder() {
  if (own_)
    own_->heard_at.reset();
}

EndRelay::Act EndRelay::check(double now, double deadline) {
  constexpr double patience = 2; // seconds
  if (!own_ || passed_on_)
    return Act::nothing;
  if (own_->heard_at)
    return now >= *own_->heard_at ? pass_on(own_->stop) : Act::nothing;
  const auto waited = now - own_->since;
  if (waited >= deadline)
    return give_up();
  return waited >= patience && !std::exchange(own_->reported, true) ? Act::report : Act::nothing;
}

EndRelay::Act EndRelay::give_up() {
  pass_on(own_->stop);
  return Act::give_up;
}

EndRelay::Act EndRelay::pass_on(const StopAll& stop) {
  if (stop.reason.empty() || std::exchange(passed_on_, true))
    return Act::nothing;
  stop_ = stop;
  return Act::pass_on;
}

} // namespace troupe
