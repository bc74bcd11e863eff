#include "messages/schedule/value_schedule.hpp"

#include "base/text/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace troupe {

namespace {

void demand(bool holds, const ValueScheduleOptions& options, const std::string& option,
            double value, const std::string& wanted) {
  if (!holds)
    throw std::invalid_argument(option + " of the schedule '" + to_string(options.name) + "' is "
                                + shortest(value) + "; it must be " + wanted);
}

void check_end_points(const ValueScheduleOptions& o) {
  demand(o.duration > 0 && std::isfinite(o.duration), o, "duration", o.duration,
         "a number greater than 0, in units of the timeline");
  demand(!std::isinf(o.from), o, "from", o.from, "a number, or nan for the value at the start");
  demand(std::isfinite(o.to), o, "to", o.to, "a number");
}

void check_milestones(const ValueScheduleOptions& o) {
  if (o.milestones.empty())
    throw std::invalid_argument("the schedule 'multistep' needs milestones, e.g. [1000, 2000]");
  auto last = 0.0;
  for (const auto milestone : o.milestones) {
    demand(milestone >= last && std::isfinite(milestone), o, "a milestone", milestone,
           "at least " + shortest(last) + ": milestones ascend");
    last = milestone;
  }
}

void check_options(const ValueScheduleOptions& o) {
  demand(o.factor >= 0 && std::isfinite(o.factor), o, "factor", o.factor, "a number from 0 up");
  switch (o.name) {
  case ValueCurve::constant: break;
  case ValueCurve::step:
    demand(o.every > 0 && std::isfinite(o.every), o, "every", o.every, "a number greater than 0");
    break;
  case ValueCurve::exponential:
    demand(o.gamma > 0 && std::isfinite(o.gamma), o, "gamma", o.gamma, "a number greater than 0");
    break;
  case ValueCurve::multistep: check_milestones(o); break;
  case ValueCurve::polynomial:
    demand(o.power > 0 && std::isfinite(o.power), o, "power", o.power, "a number greater than 0");
    check_end_points(o);
    break;
  case ValueCurve::linear:
  case ValueCurve::cosine: check_end_points(o); break;
  case ValueCurve::plateau:
    if (o.record.empty())
      throw std::invalid_argument(
        "the schedule 'plateau' needs the name of a record, e.g. record: validation_loss");
    chosen(o.choose, o.record);
    demand(o.patience >= 0, o, "patience", static_cast<double>(o.patience),
           "a whole number from 0 up");
    demand(std::isfinite(o.minimum), o, "minimum", o.minimum, "a number");
    break;
  }
  const auto& warm_up = o.warm_up;
  demand(warm_up.duration >= 0 && std::isfinite(warm_up.duration), o, "warm_up.duration",
         warm_up.duration, "a number from 0 up, in units of the timeline");
  demand(warm_up.factor >= 0 && std::isfinite(warm_up.factor), o, "warm_up.factor", warm_up.factor,
         "a number from 0 up");
}

} // namespace

ValueSchedule::ValueSchedule(ValueScheduleOptions options) : options_(std::move(options)) {
  check_options(options_);
}

double ValueSchedule::at(double n, double start, std::uint64_t drops) const {
  const auto& [duration, factor] = options_.warm_up;
  if (n >= duration)
    return curve(n - duration, start, drops);
  return curve(0, start, drops) * (factor + (1 - factor) * n / duration);
}

double ValueSchedule::curve(double n, double start, std::uint64_t drops) const {
  const auto& o = options_;
  const auto from = std::isnan(o.from) ? start : o.from;
  const auto left = 1 - std::min(n, o.duration) / o.duration; // for curves with an end
  switch (o.name) {
  case ValueCurve::constant: break;
  case ValueCurve::step: return start * std::pow(o.factor, std::floor(n / o.every));
  case ValueCurve::exponential: return start * std::pow(o.gamma, n);
  case ValueCurve::multistep: {
    const auto& all = o.milestones;
    const auto passed = std::upper_bound(all.begin(), all.end(), n) - all.begin();
    return start * std::pow(o.factor, static_cast<double>(passed));
  }
  case ValueCurve::linear: return std::lerp(o.to, from, left);
  case ValueCurve::polynomial: return std::lerp(o.to, from, std::pow(left, o.power));
  case ValueCurve::cosine:
    return std::lerp(o.to, from, (1 + std::cos(std::numbers::pi * (1 - left))) / 2);
  case ValueCurve::plateau:
    return drops == 0 ? start
                      : std::max(start * std::pow(o.factor, static_cast<double>(drops)),
                                 std::min(start, o.minimum));
  }
  return start;
}

bool Plateau::update(double record) {
  if (record == record && (!seen_.any || is_better(record, seen_.best, choose_))) {
    seen_.any = true;
    seen_.best = record;
    seen_.waited = 0;
    return false;
  }
  if (++seen_.waited <= patience_)
    return false;
  seen_.waited = 0;
  ++seen_.drops;
  return true;
}

} // namespace troupe
