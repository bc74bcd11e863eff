#include "model/layers/relu.hpp"

#include "model/layers/array.hpp"
#include "model/layers/layer_kind.hpp"

namespace troupe {

template <class Scalar>
void ReluLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                std::span<Scalar> y) {
  array(y) = (array(x) < 0).select(Scalar{0}, array(x));
}

template <class Scalar>
void ReluLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (!pass.dx.empty())
    array(pass.dx) = (array(pass.y) > 0).select(array(pass.dy), Scalar{0});
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> ReluLayer<Scalar>::clone() const {
  return std::make_unique<ReluLayer>(*this);
}

template class ReluLayer<float>;
template class ReluLayer<double>;

namespace {

const RegisterLayer relu_kind{layer_kind<ReluLayer<float>>("relu")};

} // namespace

} // namespace troupe
