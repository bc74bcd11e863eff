#include "model/layers/tanh.hpp"

#include "model/layers/array.hpp"
#include "model/layers/layer_kind.hpp"

namespace troupe {

template <class Scalar>
void TanhLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                std::span<Scalar> y) {
  array(y) = array(x).tanh();
}

template <class Scalar>
void TanhLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (!pass.dx.empty())
    array(pass.dx) = array(pass.dy) * (1 - array(pass.y).square());
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> TanhLayer<Scalar>::clone() const {
  return std::make_unique<TanhLayer>(*this);
}

template class TanhLayer<float>;
template class TanhLayer<double>;

namespace {

const RegisterLayer tanh_kind{layer_kind<TanhLayer<float>>("tanh")};

} // namespace

} // namespace troupe
