// The metrics that `model: {metrics: [...]}` can name; each is registered in its own file.
//
//   const RegisterMetric perplexity_kind{metric_kind<Perplexity>("perplexity")};
#pragma once

#include "base/registry.hpp"
#include "model/losses/loss.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// Measures predictions, in addition to their loss. Stateless: threads may share one.
template <class Scalar>
class PredictionMetric {
public:
  virtual ~PredictionMetric() = default;

  /// Adds what the rows of a batch give; masked rows, and numbers that the loss ignores, do not
  /// count.
  virtual void add(const Comparison<Scalar>& comparison, Metrics& metrics) const = 0;
};

/// What is measured.
template <class Scalar>
struct MetricTask {
  const FieldSpec& target;                  ///< what predictions are compared with
  std::shared_ptr<const Loss<Scalar>> loss; ///< null: all numbers count
};

/// Makes the metric of the names that a configuration gives, all of one kind. It throws
/// std::invalid_argument for those that do not fit the target.
template <class Scalar>
using MetricMaker = std::function<std::shared_ptr<const PredictionMetric<Scalar>>(
  const std::vector<std::string>& names, const MetricTask<Scalar>& task)>;

/// How a metric is made, for each type of number. Training needs float; what tests models in double
/// needs the other.
struct MetricKind {
  std::string name;                     ///< as configurations call it
  MetricMaker<float> make_float;        ///< for training
  MetricMaker<double> make_double = {}; ///< for tests of models; none: they cannot use it
  /// The names of its metrics, for people; none: the kind's own.
  std::vector<std::string> names = {};
  /// Whether that is the name of one of its metrics; none: where it is among `names`.
  std::function<bool(std::string_view metric)> measures = {};
};

/// All that are linked or loaded, by name.
template <>
Registry<MetricKind>& registry_of();
/// The same, to look up.
inline const Registry<MetricKind>& metric_kinds() { return registry_of<MetricKind>(); }

/// Makes a metric known to configurations; one of namespace scope in the metric's own file.
class RegisterMetric {
public:
  /// @param kind with a name that no other has
  explicit RegisterMetric(MetricKind kind);
};

/// A metric that is constructed from its names and the task.
template <template <class> class Made>
MetricKind metric_kind(std::string name) {
  return {std::move(name),
          [](const std::vector<std::string>& names, const MetricTask<float>& task) {
            return std::make_shared<Made<float>>(names, task);
          },
          [](const std::vector<std::string>& names, const MetricTask<double>& task) {
            return std::make_shared<Made<double>>(names, task);
          }};
}

/// Reports that a metric does not fit the target. @throws std::invalid_argument always
[[noreturn]] void refuse_metric(const std::string& metric, const FieldSpec& target,
                                const std::string& needs);

/// For metrics of classes. @throws std::invalid_argument for a target of numbers
void need_classes(const std::string& metric, const FieldSpec& target);

} // namespace troupe
