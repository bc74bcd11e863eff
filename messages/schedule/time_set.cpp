#include "messages/schedule/time_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace troupe {

namespace {

using Kind = Schedule::Kind;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr long double most_times = 9223372036854775808.0L; // 2^63

/// On real timelines times closer than this fraction are equal: three times 0.1 is not 0.3 in
/// double.
constexpr double tolerance = 1e-14;

/// Whether the set contains a time, given which leaves contain it.
template <class Leaf>
bool holds(const Schedule& node, const Leaf& leaf) {
  const auto& parts = node.parts();
  auto part_holds = [&](const Schedule& part) { return holds(part, leaf); };
  switch (node.kind()) {
  case Kind::never: return false;
  case Kind::always: return true;
  case Kind::each:
  case Kind::at: return leaf(node);
  case Kind::all: return std::all_of(parts.begin(), parts.end(), part_holds);
  case Kind::any: return std::any_of(parts.begin(), parts.end(), part_holds);
  case Kind::complement: return !part_holds(parts.front());
  }
  return false;
}

void collect(const Schedule& node, std::vector<double>& periods, std::vector<double>& times) {
  if (node.kind() == Kind::each)
    periods.push_back(node.period());
  if (node.kind() == Kind::at)
    times.insert(times.end(), node.times().begin(), node.times().end());
  for (const auto& part : node.parts())
    collect(part, periods, times);
}

void sort_distinct(std::vector<double>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

bool divides(double period, double time, bool integer) {
  if (integer)
    return std::fmod(time, period) == 0;
  const long double k = std::round(static_cast<long double>(time) / period);
  return k >= 1 && std::abs(k * period - time) <= tolerance * time;
}

/// The least common multiple; infinite if it is beyond every time, or there is none.
long double common_multiple(long double a, long double b, bool integer) {
  if (!std::isfinite(a) || !std::isfinite(b))
    return infinite;
  if (integer) {
    const auto divisor = std::gcd(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
    const auto multiple = a / static_cast<long double>(divisor) * b;
    return multiple < most_times ? multiple : static_cast<long double>(infinite);
  }
  // a / b as a fraction p / q in lowest terms, by its continued fraction. Periods that people write
  // have small denominators; the limit prevents irrational ratios from meeting by rounding.
  if (a < b)
    std::swap(a, b);
  const auto ratio = a / b;
  long double p = 1, last_p = 0, q = 0, last_q = 1, rest = ratio;
  while (std::isfinite(rest)) {
    const auto whole = std::floor(rest);
    last_p = std::exchange(p, whole * p + last_p);
    last_q = std::exchange(q, whole * q + last_q);
    if (q > 1e6L)
      break;
    if (std::abs(ratio * q - p) <= tolerance * p)
      return a * q;
    rest = 1 / (rest - whole);
  }
  return infinite;
}

} // namespace

TimeSet::TimeSet(const Schedule& set, bool integer) : set_(set), integer_(integer) {
  std::vector<double> periods, times;
  collect(set, periods, times);
  sort_distinct(periods);
  sort_distinct(times);

  // Bit i of `some` says whether periods[i] divides; without the `at` times.
  auto periodic = [&](std::size_t some) {
    return holds(set_, [&](const Schedule& leaf) {
      if (leaf.kind() == Kind::at)
        return false;
      auto i = std::lower_bound(periods.begin(), periods.end(), leaf.period()) - periods.begin();
      return (some >> i & 1) != 0;
    });
  };
  const auto subsets = std::size_t{1} << periods.size();
  std::vector<int> weights(subsets);
  for (std::size_t some = 0; some < subsets; ++some)
    weights[some] = periodic(some) ? 1 : 0;
  dense_ = !integer_ && weights[0] != 0;

  // Moebius inversion over subsets, then the weights of each period are summed: what cancels here
  // is truly empty.
  for (std::size_t bit = 1; bit < subsets; bit <<= 1)
    for (std::size_t some = 0; some < subsets; ++some)
      if ((some & bit) != 0)
        weights[some] -= weights[some ^ bit];
  std::map<long double, long double> summed;
  std::vector<long double> multiples(subsets,
                                     1); // without a period: the multiples of 1 are all whole
                                         // numbers
  for (std::size_t some = 0; some < subsets; ++some) {
    if (some != 0) {
      std::size_t i = 0;
      while ((some >> i & 1) == 0)
        ++i;
      const auto others = some & (some - 1);
      multiples[some] = others == 0 ? static_cast<long double>(periods[i])
                                    : common_multiple(multiples[others], periods[i], integer_);
    }
    if (std::isfinite(multiples[some]) && !(some == 0 && !integer_))
      summed[multiples[some]] += weights[some];
  }
  for (auto [period, weight] : summed)
    if (weight != 0) {
      const auto is_whole = integer_ && period < most_times && std::floor(period) == period;
      terms_.push_back({period, weight, is_whole ? static_cast<std::int64_t>(period) : 0});
    }

  for (auto time : times) {
    std::size_t some = 0;
    for (std::size_t i = 0; i < periods.size(); ++i)
      if (divides(periods[i], time, integer_))
        some |= std::size_t{1} << i;
    const bool inside = holds(set_, [&](const Schedule& leaf) {
      if (leaf.kind() == Kind::at)
        return std::binary_search(leaf.times().begin(), leaf.times().end(), time);
      return divides(leaf.period(), time, integer_);
    });
    points_.push_back({time, static_cast<int>(inside) - static_cast<int>(periodic(some))});
  }
}

double TimeSet::reach(double time) const { return integer_ ? time : time * (1 + tolerance); }

/// Rounding long doubles costs more than all else of a count, so whole numbers are divided as such.
long double TimeSet::multiples_in(const Term& term, double after, double until) const {
  if (term.whole > 0 && after >= 0 && until < most_times) {
    const std::int64_t past = static_cast<std::int64_t>(after) / term.whole;
    const std::int64_t reached = static_cast<std::int64_t>(until) / term.whole;
    return static_cast<long double>(reached - past);
  }
  return std::floor(reach(until) / term.period) - std::floor(reach(after) / term.period);
}

std::uint64_t TimeSet::count(double after, double until) const {
  if (!(after < until))
    return 0;
  if (dense_)
    return 1;
  const long double from = reach(after), to = reach(until);
  long double sum = 0;
  for (const auto& term : terms_)
    sum += term.weight * multiples_in(term, after, until);
  auto later = [](long double time, const Point& point) { return time < point.time; };
  auto point = std::upper_bound(points_.begin(), points_.end(), from, later);
  for (; point != points_.end() && point->time <= to; ++point)
    sum += point->correction;
  if (!(sum > 0))
    return 0;
  return static_cast<std::uint64_t>(std::min(sum, most_times));
}

double TimeSet::next(double after) const {
  // Nothing periodic: the set is finite and known exactly.
  if (terms_.empty() && !dense_) {
    for (const auto& point : points_)
      if (point.time > reach(after) && point.correction > 0)
        return integer_ ? point.time : point.time * (1 - 2 * tolerance);
    return infinite;
  }
  return bound(set_, false, after);
}

double TimeSet::bound(const Schedule& node, bool negated, double after) const {
  // A complement may have a time immediately. An intersection waits for its last part, a union for
  // its first.
  const auto kind = node.kind();
  if (kind == Kind::complement)
    return bound(node.parts().front(), !negated, after);
  if (kind == Kind::all || kind == Kind::any) {
    const bool last = (kind == Kind::all) != negated;
    auto result = last ? after : infinite;
    for (const auto& part : node.parts()) {
      const auto one = bound(part, negated, after);
      result = last ? std::max(result, one) : std::min(result, one);
    }
    return result;
  }
  if (negated)
    return integer_ ? std::floor(after) + 1 : after;
  const auto from = reach(after);
  double time = infinite;
  if (kind == Kind::each) {
    const long double period = node.period();
    time = static_cast<double>((std::floor(from / period) + 1) * period);
  } else {
    auto later = std::upper_bound(node.times().begin(), node.times().end(), from);
    if (later != node.times().end())
      time = *later;
  }
  return integer_ ? time : std::max(after, time * (1 - 2 * tolerance));
}

} // namespace troupe
