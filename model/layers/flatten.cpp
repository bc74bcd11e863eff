#include "model/layers/flatten.hpp"

#include "model/layers/layer_kind.hpp"

#include <algorithm>

namespace troupe {

template <class Scalar>
Shape FlattenLayer<Scalar>::connect(const Shape& input, const std::string& prefix, Layout&) {
  return {input.at(0), known_width(input, "flatten layer '" + prefix + "'")};
}

template <class Scalar>
void FlattenLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                   std::span<Scalar> y) {
  if (x.data() != y.data())
    std::copy(x.begin(), x.end(), y.begin());
}

template <class Scalar>
void FlattenLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (!pass.dx.empty() && pass.dx.data() != pass.dy.data())
    std::copy(pass.dy.begin(), pass.dy.end(), pass.dx.begin());
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> FlattenLayer<Scalar>::clone() const {
  return std::make_unique<FlattenLayer>(*this);
}

template class FlattenLayer<float>;
template class FlattenLayer<double>;

namespace {

const RegisterLayer flatten_kind{layer_kind<FlattenLayer<float>>("flatten")};

} // namespace

} // namespace troupe
