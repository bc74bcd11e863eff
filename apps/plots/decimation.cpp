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

  void take(const CurveData& curve, std::size_t at) {
    const auto value = curve.y[at];
    if (!std::isfinite(value)) {
      gap = at;
      return;
    }
    if (lowest == no_point || value < curve.y[lowest])
      lowest = at;
    if (highest == no_point || value > curve.y[highest])
      highest = at;
  }
};

class Decimation {
public:
  Decimation(const CurveData& curve, std::size_t most) : curve_(curve), parts_((most - 2) / 2) {}

  CurveData run() {
    const auto [first, last] = width();
    for (std::size_t at = 0; at < curve_.x.size(); ++at)
      if (std::isfinite(curve_.x[at]))
        parts_[part_of(curve_.x[at], first, last)].take(curve_, at);
    keep(first_);
    for (const auto& part : parts_)
      keep_part(part);
    keep(last_);
    return std::move(result_);
  }

private:
  std::array<double, 2> width() {
    for (std::size_t at = 0; at < curve_.x.size(); ++at) {
      if (!std::isfinite(curve_.x[at]))
        continue;
      if (first_ == no_point || curve_.x[at] < curve_.x[first_])
        first_ = at;
      if (last_ == no_point || curve_.x[at] >= curve_.x[last_])
        last_ = at;
    }
    if (first_ == no_point)
      return {0, 0};
    return {curve_.x[first_], curve_.x[last_]};
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
    result_.x.push_back(curve_.x[at]);
    result_.y.push_back(curve_.y[at]);
  }

  const CurveData& curve_;
  std::vector<KeptPoints> parts_;
  CurveData result_;
  std::size_t first_ = no_point, last_ = no_point, kept_last_ = no_point;
  bool kept_first_ = false, kept_the_end_ = false;
};

} // namespace

CurveData decimated(const CurveData& curve, std::size_t most) {
  if (curve.x.size() <= most)
    return curve;
  return Decimation{curve, std::max<std::size_t>(most, 4)}.run();
}

} // namespace troupe
