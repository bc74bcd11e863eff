#include "model/layers/sigmoid.hpp"

#include "model/layers/array.hpp"
#include "model/layers/layer_kind.hpp"

namespace troupe {

template <class Scalar>
void SigmoidLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                   std::span<Scalar> y) {
  array(y) = ((-array(x)).exp() + 1).inverse();
}

template <class Scalar>
void SigmoidLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (!pass.dx.empty())
    array(pass.dx) = array(pass.dy) * array(pass.y) * (1 - array(pass.y));
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> SigmoidLayer<Scalar>::clone() const {
  return std::make_unique<SigmoidLayer>(*this);
}

template class SigmoidLayer<float>;
template class SigmoidLayer<double>;

namespace {

const RegisterLayer sigmoid_kind{layer_kind<SigmoidLayer<float>>("sigmoid")};

} // namespace

} // namespace troupe
