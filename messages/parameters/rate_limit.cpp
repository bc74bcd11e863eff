#include "messages/parameters/rate_limit.hpp"

#include <cmath>
#include <stdexcept>

namespace troupe {

RateLimit::RateLimit(RateLimitOptions options, double now) : options_(options), last_end_(now) {
  if (!(options.maximum_rate >= 0) || std::isinf(options.maximum_rate))
    throw std::invalid_argument("maximum_rate is " + std::to_string(options.maximum_rate)
                                + "; give a share of 0 or more, like 0.25");
  if (options.of == RateOf::total && options.maximum_rate > 1)
    throw std::invalid_argument("maximum_rate is " + std::to_string(options.maximum_rate)
                                + " of the total time; give at most 1, or use `of: work`");
  if (!(options.decay > 0 && options.decay <= 1))
    throw std::invalid_argument("decay is " + std::to_string(options.decay)
                                + "; give a weight in (0, 1]");
}

bool RateLimit::may_sync(double now) const {
  const auto r = options_.maximum_rate;
  if (r == 0)
    return false;
  const auto work = now - last_end_;
  if (options_.of == RateOf::work)
    return average_ < r * work || (syncs_ == 0 && work >= 0);
  return syncs_ == 0 || work >= average_ * (1 - r) / r;
}

void RateLimit::synced(double begin, double end) {
  const auto cost = end - begin;
  average_ = syncs_ == 0 && !options_.legion_warmup
               ? cost
               : options_.decay * cost + (1 - options_.decay) * average_;
  last_end_ = end;
  ++syncs_;
  if (syncs_ == warm_up_syncs())
    measured_from_ = end;
  else if (syncs_ > warm_up_syncs())
    measured_cost_ += cost;
}

RateLimit::State RateLimit::state() const {
  return {average_, syncs_, syncs_ >= warm_up_syncs() ? last_end_ - measured_from_ : 0,
          measured_cost_};
}

void RateLimit::restore(const State& state, double now) {
  average_ = state.average;
  syncs_ = state.syncs;
  measured_cost_ = state.measured_cost;
  last_end_ = now;
  measured_from_ = now - state.measured_seconds;
}

std::optional<double> RateLimit::measured_share() const {
  const auto time = last_end_ - measured_from_;
  if (syncs_ <= warm_up_syncs() || time <= 0)
    return {};
  return measured_cost_ / time;
}

} // namespace troupe
