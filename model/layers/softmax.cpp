#include "model/layers/softmax.hpp"

#include "model/layers/array.hpp"
#include "model/layers/checks.hpp"
#include "model/layers/layer_kind.hpp"

namespace troupe {

template <class Scalar>
Shape SoftmaxLayer<Scalar>::connect(const Shape& input, const std::string& prefix, Layout&) {
  const auto who = "softmax layer '" + prefix + "'";
  known_width(input, who);
  if (input.size() < 2)
    refuse_shape(who, input, "[any, ..., width]");
  width_ = static_cast<std::size_t>(input.back());
  return input;
}

template <class Scalar>
void SoftmaxLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                   std::span<Scalar> y) {
  for (std::size_t i = 0; i < x.size(); i += width_) {
    const auto in = x.subspan(i, width_);
    const auto out = y.subspan(i, width_);
    const auto largest = array(in).maxCoeff(); // prevents overflow of exp
    array(out) = (array(in) - largest).exp();
    array(out) /= array(out).sum();
  }
}

template <class Scalar>
void SoftmaxLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  for (std::size_t i = 0; i < pass.dx.size(); i += width_) {
    const auto y = pass.y.subspan(i, width_), dy = pass.dy.subspan(i, width_);
    const auto mean = (array(y) * array(dy)).sum();
    array(pass.dx.subspan(i, width_)) = array(y) * (array(dy) - mean);
  }
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> SoftmaxLayer<Scalar>::clone() const {
  return std::make_unique<SoftmaxLayer>(*this);
}

template class SoftmaxLayer<float>;
template class SoftmaxLayer<double>;

namespace {

const RegisterLayer softmax_kind{layer_kind<SoftmaxLayer<float>>("softmax")};

} // namespace

} // namespace troupe
