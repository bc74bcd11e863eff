#include "model/layers/leaky_relu.hpp"

#include "model/layers/array.hpp"
#include "model/layers/layer_kind.hpp"

#include <cmath>
#include <stdexcept>

namespace troupe {

template <class Scalar>
LeakyReluLayer<Scalar>::LeakyReluLayer(LeakyReluOptions options)
  : slope_(static_cast<Scalar>(options.slope)) {
  if (!(options.slope >= 0 && std::isfinite(options.slope)))
    throw std::invalid_argument("a leaky_relu layer has the slope " + std::to_string(options.slope)
                                + "; give 0 or more");
}

template <class Scalar>
void LeakyReluLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                     std::span<Scalar> y) {
  array(y) = (array(x) > 0).select(array(x), slope_ * array(x));
}

template <class Scalar>
void LeakyReluLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (!pass.dx.empty())
    array(pass.dx) = (array(pass.y) > 0).select(array(pass.dy), slope_ * array(pass.dy));
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> LeakyReluLayer<Scalar>::clone() const {
  return std::make_unique<LeakyReluLayer>(*this);
}

template class LeakyReluLayer<float>;
template class LeakyReluLayer<double>;

namespace {

const RegisterLayer leaky_relu_kind{
  layer_kind<LeakyReluLayer<float>, LeakyReluOptions>("leaky_relu", "slope")};

} // namespace

} // namespace troupe
