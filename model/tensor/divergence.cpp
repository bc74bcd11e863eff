#include "model/tensor/divergence.hpp"

#include <cassert>
#include <cmath>

namespace troupe {

double relative_divergence(std::span<const float> now, std::span<const float> before) {
  assert(now.size() == before.size());
  double moved = 0, length = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto was = static_cast<double>(before[i]);
    const auto step = static_cast<double>(now[i]) - was;
    moved += step * step;
    length += was * was;
  }
  return moved == 0 ? 0 : std::sqrt(moved / length);
}

} // namespace troupe
