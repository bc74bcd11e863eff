#include "apps/plots/decimation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace troupe {

namespace {

constexpr auto no_point = std::numeric_limits<std::size_t>::max();

/// The points of one part of the width that are kept, as places in the curve.
struct KeptPoints {
  std::size_t lowest = no_point, highest = no_point, gap = no_point;

  template <class ValueAt>
  void take(const ValueAt& value_at, std::size_t at) {
    const auto value = value_at(at);
    if (!std::isfinite(value)) {
      gap = at;
      return;
    }
    if (lowest == no_point || value < value_at(lowest))
      lowest = at;
    if (highest == no_point || value > value_at(highest))
      highest = at;
  }
};

class Decimation {
public:
  Decimation(const DrawnPoints& points, std::size_t most)
    : points_(points),
      parts_((most - 2) / 2) {}

  CurveData run() {
    const auto [first, last] = width();
    const auto value_at = [this](std::size_t at) { return points_.value(at); };
    for (std::size_t at = 0; at < points_.size(); ++at)
      if (std::isfinite(points_.x[at]))
        parts_[part_of(points_.x[at], first, last)].take(value_at, at);
    keep(first_);
    for (const auto& part : parts_)
      keep_part(part);
    keep(last_);
    return std::move(result_);
  }

private:
  std::array<double, 2> width() {
    for (std::size_t at = 0; at < points_.size(); ++at) {
      if (!std::isfinite(points_.x[at]))
        continue;
      if (first_ == no_point || points_.x[at] < points_.x[first_])
        first_ = at;
      if (last_ == no_point || points_.x[at] >= points_.x[last_])
        last_ = at;
    }
    if (first_ == no_point)
      return {0, 0};
    return {points_.x[first_], points_.x[last_]};
  }

  std::size_t part_of(double x, double first, double last) const {
    if (!(last > first))
      return 0;
    const auto share = (x - first) / (last - first);
    return std::min(static_cast<std::size_t>(share * static_cast<double>(parts_.size())),
                    parts_.size() - 1);
  }

  void keep_part(const KeptPoints& part) {
    if (part.lowest == no_point)
      return keep(part.gap);
    keep(std::min(part.lowest, part.highest));
    keep(std::max(part.lowest, part.highest));
  }

  void keep(std::size_t at) {
    if (at == no_point || at == kept_last_ || (at == first_ && kept_first_))
      return;
    if (at == last_ && kept_the_end_)
      return;
    kept_first_ = kept_first_ || at == first_;
    kept_the_end_ = kept_the_end_ || at == last_;
    kept_last_ = at;
    result_.x.push_back(points_.x[at]);
    result_.y.push_back(points_.value(at));
  }

  const DrawnPoints& points_;
  std::vector<KeptPoints> parts_;
  CurveData result_;
  std::size_t first_ = no_point, last_ = no_point, kept_last_ = no_point;
  bool kept_first_ = false, kept_the_end_ = false;
};

} // namespace

double DrawnPoints::value(std::size_t at) const {
  return positive && !(y[at] > 0) ? std::numeric_limits<double>::quiet_NaN() : y[at];
}

CurveData decimated(const DrawnPoints& points, std::size_t most) {
  if (points.size() > most)
    return Decimation{points, std::max<std::size_t>(most, 4)}.run();
  CurveData all;
  for (std::size_t at = 0; at < points.size(); ++at) {
    all.x.push_back(points.x[at]);
    all.y.push_back(points.value(at));
  }
  return all;
}

} // namespace troupe
