#include "model/layers/relu.hpp"

#include "model/layers/layer_kind.hpp"

#include <algorithm>

namespace troupe {

// Copying first and then working on one array lets the compiler vectorise the in-place case.
template <class Scalar>
void ReluLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                std::span<Scalar> y) {
  if (x.data() != y.data())
    std::copy(x.begin(), x.end(), y.begin());
  for (auto& value : y)
    value = value < 0 ? 0 : value;
}

template <class Scalar>
void ReluLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (pass.dx.empty())
    return;
  if (pass.dy.data() != pass.dx.data())
    std::copy(pass.dy.begin(), pass.dy.end(), pass.dx.begin());
  const auto* y = pass.y.data();
  auto* dx = pass.dx.data();
  const auto n = static_cast<Index>(pass.y.size());
  for (Index i = 0; i < n; ++i)
    dx[i] = y[i] > 0 ? dx[i] : 0;
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
