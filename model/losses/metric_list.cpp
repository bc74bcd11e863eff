#include "model/losses/metric_list.hpp"

#include "base/text/text.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace troupe {

namespace {

/// @throws std::invalid_argument for an unknown name
const MetricKind& kind_that_measures(const std::string& metric) {
  std::vector<std::string> known;
  for (const auto& name : metric_kinds().names()) {
    const auto* kind = metric_kinds().find(name);
    if (kind->measures(metric))
      return *kind;
    known.insert(known.end(), kind->names.begin(), kind->names.end());
  }
  throw std::invalid_argument("there is no metric '" + metric + "'; known are " + joined(known));
}

template <class Scalar>
const MetricMaker<Scalar>& maker_of(const MetricKind& kind) {
  if constexpr (std::is_same_v<Scalar, float>)
    return kind.make_float;
  else
    return kind.make_double;
}

} // namespace

template <class Scalar>
MetricList<Scalar>::MetricList(const std::vector<std::string>& names, const FieldSpec& target,
                               std::shared_ptr<const Loss<Scalar>> loss) {
  std::vector<std::pair<const MetricKind*, std::vector<std::string>>> kinds; // with their names
  for (const auto& name : names) {
    const auto* kind = &kind_that_measures(name);
    auto found = std::find_if(kinds.begin(), kinds.end(),
                              [kind](const auto& other) { return other.first == kind; });
    if (found == kinds.end())
      found = kinds.insert(kinds.end(), {kind, {}});
    found->second.push_back(name);
  }
  for (const auto& [kind, own] : kinds) {
    const auto& make = maker_of<Scalar>(*kind);
    if (!make)
      throw std::invalid_argument("metric " + own.front()
                                  + " measures models of float only; leave it out");
    metrics_.push_back(make(own, {target, loss}));
  }
}

template <class Scalar>
void MetricList<Scalar>::add(const Comparison<Scalar>& comparison, Metrics& metrics) const {
  for (const auto& metric : metrics_)
    metric->add(comparison, metrics);
}

template class MetricList<float>;
template class MetricList<double>;

} // namespace troupe
