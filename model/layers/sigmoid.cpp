#include "troupe/model/layers/sigmoid.hpp"

#include <Eigen/Core>

namespace troupe {

namespace {

template <class Scalar>
using Array = Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1>>;
template <class Scalar>
using ConstArray = Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>>;

template <class Scalar>
ConstArray<Scalar> array(std::span<const Scalar> x) {
  return {x.data(), static_cast<Index>(x.size())};
}

template <class Scalar>
Array<Scalar> array(std::span<Scalar> x) {
  return {x.data(), static_cast<Index>(x.size())};
}

} // namespace

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

} // namespace troupe
