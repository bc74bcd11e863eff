#include "model/training/check_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace troupe {

template <class Scalar>
GradientCheck check_gradient(BasicModel<Scalar>& model, std::span<Scalar> parameters,
                             const BasicBatch<Scalar>& batch, GradientCheckOptions options) {
  std::vector<Scalar> gradient(parameters.size()), unused(parameters.size());
  model.loss_and_gradient(parameters, batch, gradient);
  const auto loss_with = [&](Scalar& x, double value) {
    const auto here = std::exchange(x, static_cast<Scalar>(value));
    const auto loss = model.loss_and_gradient(parameters, batch, unused);
    x = here;
    return loss;
  };
  GradientCheck worst;
  for (const auto& parameter : model.layout().parameters())
    for (Index element = 0; element < parameter.size(); ++element) {
      const auto at = static_cast<std::size_t>(parameter.offset + element);
      auto& x = parameters[at];
      // as far apart as the numbers really are
      const auto above = double{static_cast<Scalar>(x + options.step)};
      const auto below = double{static_cast<Scalar>(x - options.step)};
      const auto expected = (loss_with(x, above) - loss_with(x, below)) / (above - below);
      const auto computed = double{gradient[at]};
      const auto size = std::max({std::abs(expected), std::abs(computed), options.small});
      const auto error = std::abs(expected - computed) / size;
      if (error >= worst.error)
        worst = {error, parameter.name, element, computed, expected};
    }
  return worst;
}

template GradientCheck check_gradient(BasicModel<float>&, std::span<float>,
                                      const BasicBatch<float>&, GradientCheckOptions);
template GradientCheck check_gradient(BasicModel<double>&, std::span<double>,
                                      const BasicBatch<double>&, GradientCheckOptions);

} // namespace troupe
