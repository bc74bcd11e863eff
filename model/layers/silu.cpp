#include "model/layers/silu.hpp"

#include "model/layers/array.hpp"
#include "model/layers/layer_kind.hpp"

namespace troupe {

template <class Scalar>
void SiluLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                std::span<Scalar> y) {
  array(y) = array(x) / ((-array(x)).exp() + 1);
}

template <class Scalar>
void SiluLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (pass.dx.empty())
    return;
  array(pass.dx) = ((-array(pass.x)).exp() + 1).inverse(); // s
  array(pass.dx) = array(pass.dy) * array(pass.dx) * (1 + array(pass.x) * (1 - array(pass.dx)));
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> SiluLayer<Scalar>::clone() const {
  return std::make_unique<SiluLayer>(*this);
}

template class SiluLayer<float>;
template class SiluLayer<double>;

namespace {

const RegisterLayer silu_kind{layer_kind<SiluLayer<float>>("silu")};

} // namespace

} // namespace troupe
