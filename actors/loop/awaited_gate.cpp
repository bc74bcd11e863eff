#include "actors/loop/awaited_gate.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

std::uint64_t AwaitedGate::await(std::shared_ptr<Subscription> gate, double now) {
  gate_ = std::move(gate);
  ++gate_->asked;
  since_ = now;
  reported_ = false;
  return ++ticket_;
}

double AwaitedGate::release(double now) {
  const auto waited = now - since_;
  gate_->waited_seconds += waited;
  gate_.reset();
  return waited;
}

AwaitedGate::Check AwaitedGate::check(double now) {
  constexpr double patience = 2; // seconds
  const auto waited = now - since_;
  if (!gate_)
    return Check::in_time;
  if (is_checked(*gate_) && waited >= gate_->deadline)
    return Check::late;
  if (reported_ || waited < patience)
    return Check::in_time;
  reported_ = true;
  return Check::report;
}

double AwaitedGate::seconds_to_check(double now) const {
  constexpr double least_seconds = 1e-3;
  if (!gate_ || !is_checked(*gate_))
    return most_seconds;
  return std::clamp(since_ + gate_->deadline - now, least_seconds, most_seconds);
}

} // namespace troupe
