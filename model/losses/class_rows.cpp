#include "model/losses/class_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

template <class Scalar>
void check_classes(const Loss<Scalar>& loss, const Comparison<Scalar>& comparison, bool masked) {
  const auto& classes = comparison.target.classes;
  if (classes.size() * static_cast<std::size_t>(comparison.width) != comparison.prediction.size())
    throw std::invalid_argument(loss.name() + " compares "
                                + std::to_string(comparison.prediction.size())
                                + " numbers in rows of " + std::to_string(comparison.width)
                                + " with " + std::to_string(classes.size()) + " classes");
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto is_masked = classes[i] == masked_class;
    if (is_masked ? !masked : classes[i] < 0 || classes[i] >= comparison.width)
      throw std::invalid_argument(
        "the class of row " + std::to_string(i) + " is " + std::to_string(classes[i])
        + "; the prediction has classes 0 to " + std::to_string(comparison.width - 1)
        + (is_masked ? ", and masked_cross_entropy ignores -1" : ""));
  }
}

template <class Scalar>
Index predicted_class(std::span<const Scalar> row) {
  if (std::any_of(row.begin(), row.end(), [](Scalar x) { return std::isnan(x); }))
    return static_cast<Index>(row.size());
  return std::max_element(row.begin(), row.end()) - row.begin();
}

template <class Scalar>
double correct_rows(const Comparison<Scalar>& comparison) {
  const auto& classes = comparison.target.classes;
  const auto n = static_cast<std::size_t>(comparison.width);
  Index right = 0;
  for (std::size_t i = 0; i < classes.size(); ++i)
    right += predicted_class(comparison.prediction.subspan(i * n, n)) == classes[i];
  return static_cast<double>(right);
}

template void check_classes(const Loss<float>&, const Comparison<float>&, bool);
template void check_classes(const Loss<double>&, const Comparison<double>&, bool);
template Index predicted_class(std::span<const float>);
template Index predicted_class(std::span<const double>);
template double correct_rows(const Comparison<float>&);
template double correct_rows(const Comparison<double>&);

} // namespace troupe
