#include "model/layers/dropout.hpp"

#include "model/layers/array.hpp"
#include "model/layers/layer_kind.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

template <class Scalar>
DropoutLayer<Scalar>::DropoutLayer(DropoutOptions options) : options_(options) {
  if (!(options.rate >= 0 && options.rate < 1))
    throw std::invalid_argument("a dropout layer has the rate " + std::to_string(options.rate)
                                + "; give one from 0 to less than 1");
}

template <class Scalar>
Shape DropoutLayer<Scalar>::connect(const Shape& input, const std::string& prefix, Layout&) {
  prefix_ = prefix;
  return input;
}

template <class Scalar>
void DropoutLayer<Scalar>::begin(const PassContext& context) {
  active_ = context.training && options_.rate > 0;
  noise_ = context.noise.derive(prefix_);
}

template <class Scalar>
void DropoutLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                   std::span<Scalar> y) {
  if (!active_) {
    if (x.data() != y.data())
      std::copy(x.begin(), x.end(), y.begin());
    return;
  }
  factors_.resize(x.size());
  const auto limit = static_cast<std::uint32_t>(std::ldexp(options_.rate, 32));
  const auto kept = static_cast<Scalar>(1 / (1 - options_.rate));
  Random random{noise_};
  for (auto& factor : factors_)
    factor = random.bits() < limit ? Scalar{0} : kept;
  const std::span<const Scalar> factors{factors_};
  array(y) = array(x) * array(factors);
}

template <class Scalar>
void DropoutLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (pass.dx.empty())
    return;
  const std::span<const Scalar> factors{factors_};
  if (active_)
    array(pass.dx) = array(pass.dy) * array(factors);
  else if (pass.dy.data() != pass.dx.data())
    std::copy(pass.dy.begin(), pass.dy.end(), pass.dx.begin());
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> DropoutLayer<Scalar>::clone() const {
  return std::make_unique<DropoutLayer>(*this);
}

template class DropoutLayer<float>;
template class DropoutLayer<double>;

namespace {

const RegisterLayer dropout_kind{
  layer_kind<DropoutLayer<float>, DropoutOptions>("dropout", "rate")};

} // namespace

} // namespace troupe
