#include "model/layers/gelu.hpp"

#include "model/formulas/activation_functions.hpp"
#include "model/layers/array.hpp"
#include "model/layers/layer_kind.hpp"

#include <cmath>

namespace troupe {

template <class Scalar>
void GeluLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                std::span<Scalar> y) {
  const auto slope = static_cast<Scalar>(gelu_slope), cubic = static_cast<Scalar>(gelu_cubic);
  const auto in = array(x);
  array(y) = in / 2 * (1 + (slope * in * (1 + cubic * in.square())).tanh());
}

// dy/dx = (1 + t) / 2 + x / 2 (1 - t^2) du/dx, with t = tanh u. t is recomputed rather than kept:
// it is stored in dx until x dy replaces it.
template <class Scalar>
void GeluLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (pass.dx.empty())
    return;
  const auto slope = static_cast<Scalar>(gelu_slope), cubic = static_cast<Scalar>(gelu_cubic);
  const auto x = array(pass.x);
  auto t = array(pass.dx);
  t = (slope * x * (1 + cubic * x.square())).tanh();
  t = array(pass.dy) / 2 * (1 + t + x * (1 - t.square()) * slope * (1 + 3 * cubic * x.square()));
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> GeluLayer<Scalar>::clone() const {
  return std::make_unique<GeluLayer>(*this);
}

template class GeluLayer<float>;
template class GeluLayer<double>;

namespace {

const RegisterLayer gelu_kind{layer_kind<GeluLayer<float>>("gelu")};

} // namespace

} // namespace troupe
