#include "model/optimizers/parameter_scales.hpp"

#include "base/text/text.hpp"

#include <fnmatch.h>

#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

void check_share_of(const ParameterScale& scale, const std::string& setting, double share) {
  if (!(share >= 0) || !std::isfinite(share))
    throw std::invalid_argument("the share of " + setting + " of parameters '" + scale.match
                                + "' is " + std::to_string(share)
                                + "; give 0 or more, where 1 is all of it");
}

bool fits(const ParameterScale& scale, const Parameter& parameter) {
  return fnmatch(scale.match.c_str(), parameter.name.c_str(), 0) == 0;
}

void check_fits_some(const ParameterScale& scale, const Layout& layout) {
  for (const auto& parameter : layout.parameters())
    if (fits(scale, parameter))
      return;
  const auto known = joined(layout.parameters(), ", ", &Parameter::name);
  throw std::invalid_argument("no parameter is called '" + scale.match
                              + "', so none can have a share of its own; known are "
                              + (known.empty() ? "none" : known));
}

ScaledStretch stretch_of(const Parameter& parameter, std::span<const ParameterScale> scales) {
  ScaledStretch stretch{parameter.offset, parameter.size()};
  for (const auto& scale : scales)
    if (fits(scale, parameter)) {
      stretch.learning_rate = scale.learning_rate;
      stretch.weight_decay = scale.weight_decay;
    }
  return stretch;
}

} // namespace

std::vector<ScaledStretch> scaled_stretches(const Layout& layout,
                                            std::span<const ParameterScale> scales) {
  for (const auto& scale : scales) {
    check_share_of(scale, "learning_rate", scale.learning_rate);
    check_share_of(scale, "weight_decay", scale.weight_decay);
    check_fits_some(scale, layout);
  }
  std::vector<ScaledStretch> stretches;
  if (scales.empty())
    return stretches;
  for (const auto& parameter : layout.parameters()) {
    const auto next = stretch_of(parameter, scales);
    if (!stretches.empty() && stretches.back().learning_rate == next.learning_rate
        && stretches.back().weight_decay == next.weight_decay)
      stretches.back().size += next.size;
    else
      stretches.push_back(next);
  }
  return stretches;
}

} // namespace troupe
