#include "model/optimizers/untrained_elements.hpp"

#include <algorithm>

namespace troupe {

UntrainedElements::UntrainedElements(const Layout& layout) {
  std::size_t size = 0;
  for (const auto& parameter : layout.parameters()) {
    if (parameter.role == ParameterRole::trained)
      continue;
    ranges_.push_back({static_cast<std::size_t>(parameter.offset),
                       static_cast<std::size_t>(parameter.size()), parameter.role});
    size += ranges_.back().size;
  }
  values_.resize(size);
}

void UntrainedElements::take(std::span<const float> parameters, std::span<float> gradient) {
  auto* value = values_.data();
  for (const auto& range : ranges_) {
    const auto* p = parameters.data() + range.begin;
    auto* g = gradient.data() + range.begin;
    if (is_measured(range.role))
      std::transform(p, p + range.size, g, value, [](float a, float b) { return a + b; });
    else
      std::copy_n(p, range.size, value);
    std::fill_n(g, range.size, 0.0f);
    value += range.size;
  }
}

void UntrainedElements::put(std::span<float> parameters) const {
  const auto* value = values_.data();
  for (const auto& range : ranges_) {
    std::copy_n(value, range.size, parameters.data() + range.begin);
    value += range.size;
  }
}

} // namespace troupe
