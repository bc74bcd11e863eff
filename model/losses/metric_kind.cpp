#include "model/losses/metric_kind.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

template <>
Registry<MetricKind>& registry_of() {
  static Registry<MetricKind> kinds; // there before any file registers its own
  return kinds;
}

RegisterMetric::RegisterMetric(MetricKind kind) {
  if (kind.names.empty())
    kind.names = {kind.name};
  if (!kind.measures)
    kind.measures = [names = kind.names](std::string_view metric) {
      return std::find(names.begin(), names.end(), metric) != names.end();
    };
  registry_of<MetricKind>().add(std::move(kind));
}

void refuse_metric(const std::string& metric, const FieldSpec& target, const std::string& needs) {
  throw std::invalid_argument("metric " + metric + " needs " + needs + ", but the target is "
                              + to_string(target)
                              + (target.type == ElementType::class_index
                                   ? " of " + std::to_string(target.classes) + " classes"
                                   : "")
                              + "; leave it out");
}

void need_classes(const std::string& metric, const FieldSpec& target) {
  if (target.type != ElementType::class_index)
    refuse_metric(metric, target, "classes");
}

} // namespace troupe
