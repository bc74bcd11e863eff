#include "messages/parameters/end_relay.hpp"

#include <utility>

namespace troupe {

bool EndRelay::begin(const StopAll& stop, double now) {
  if (own_ || passed_on_)
    return false;
  own_ = Own{stop, now, {}};
  return true;
}

EndRelay::Action EndRelay::update(const StopAll& stop, double now, double lease) {
  constexpr double slack = 0.25; // seconds by which another's renewal may come late
  if (!own_)
    return pass_on(stop);
  if (!stop.reason.empty()) {
    if (!own_->known_at)
      own_->known_at = now + lease + slack;
    return Action::nothing;
  }
  own_->known_at.reset();
  stop_ = own_->stop;
  return Action::notify_holder;
}

void EndRelay::lose_holder() {
  if (own_)
    own_->known_at.reset();
}

EndRelay::Action EndRelay::check(double now, double deadline) {
  constexpr double patience = 2; // seconds
  if (!own_ || passed_on_)
    return Action::nothing;
  if (own_->known_at)
    return now >= *own_->known_at ? pass_on(own_->stop) : Action::nothing;
  const auto waited = now - own_->since;
  if (waited >= deadline)
    return give_up();
  return waited >= patience && !std::exchange(own_->reported, true) ? Action::report
                                                                    : Action::nothing;
}

EndRelay::Action EndRelay::give_up() {
  pass_on(own_->stop);
  return Action::give_up;
}

EndRelay::Action EndRelay::pass_on(const StopAll& stop) {
  if (stop.reason.empty() || std::exchange(passed_on_, true))
    return Action::nothing;
  stop_ = stop;
  return Action::pass_on;
}

} // namespace troupe
