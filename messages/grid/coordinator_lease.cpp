#include "messages/grid/coordinator_lease.hpp"

#include "base/text/duration.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr double leases_of_silence = 2; // leases without an answer

} // namespace

void CoordinatorLease::begin(double length, double now) {
  length_ = length;
  answered_ = renew_from_ = now;
}

void CoordinatorLease::answered(double sent) { answered_ = std::max(answered_, sent); }

std::optional<std::string> CoordinatorLease::loss(double now) const {
  if (now - answered_ < leases_of_silence * length_)
    return {};
  return "it has not answered for " + rounded_length(now - answered_);
}

} // namespace troupe
