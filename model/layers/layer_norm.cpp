#include "model/layers/layer_norm.hpp"

#include "model/layers/array.hpp"
#include "model/layers/layer_kind.hpp"
#include "model/layers/sequence.hpp"

#include <cmath>
#include <stdexcept>

namespace troupe {

template <class Scalar>
LayerNormLayer<Scalar>::LayerNormLayer(double epsilon) : epsilon_(epsilon) {
  if (!(epsilon > 0))
    throw std::invalid_argument("a layer_norm layer has the epsilon " + std::to_string(epsilon)
                                + "; give it a positive one, such as 1e-5");
}

template <class Scalar>
Shape LayerNormLayer<Scalar>::connect(const Shape& input, const std::string& prefix,
                                      Layout& layout) {
  const auto who = "layer_norm layer '" + prefix + "'";
  if (input.size() < 2)
    throw std::invalid_argument(who + " needs [any, ..., width], but was given "
                                + to_string(input));
  known_width(input, who);
  width_ = input.back();
  weight_ = layout.add(prefix + ".weight", {width_});
  bias_ = layout.add(prefix + ".bias", {width_});
  return input;
}

template <class Scalar>
void LayerNormLayer<Scalar>::initialize(std::span<Scalar> parameters, RandomKey) const {
  array(parameters.subspan(weight_, width_)).setOnes();
  array(parameters.subspan(bias_, width_)).setZero();
}

template <class Scalar>
void LayerNormLayer<Scalar>::forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
                                     std::span<Scalar> y) {
  const auto rows = static_cast<Index>(x.size()) / width_;
  auto* const normalized = keeps_ ? grown(normalized_, rows * width_) : y.data();
  auto* const scale = grown(scale_, rows);
  const auto g = array(parameters.subspan(weight_, width_));
  const auto b = array(parameters.subspan(bias_, width_));
  for (Index i = 0; i < rows; ++i) {
    const auto from = array(x.subspan(i * width_, width_));
    auto n = array(std::span{normalized + i * width_, static_cast<std::size_t>(width_)});
    n = from - from.mean();
    scale[i] = 1 / std::sqrt(n.square().mean() + static_cast<Scalar>(epsilon_));
    n *= scale[i];
    array(y.subspan(i * width_, width_)) = g * n + b;
  }
}

// dn = g dy;   dx = (dn - mean(dn) - n mean(dn n)) / sqrt(var + epsilon)
template <class Scalar>
void LayerNormLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  const auto rows = static_cast<Index>(pass.dy.size()) / width_;
  const auto g = array(pass.parameters.subspan(weight_, width_));
  auto dg = array(pass.gradient.subspan(weight_, width_));
  auto db = array(pass.gradient.subspan(bias_, width_));
  dg.setZero();
  db.setZero();
  for (Index i = 0; i < rows; ++i) {
    const auto n = array(
      std::span<const Scalar>{normalized_.data() + i * width_, static_cast<std::size_t>(width_)});
    const auto dy = array(pass.dy.subspan(i * width_, width_));
    dg += dy * n;
    db += dy;
    if (pass.dx.empty())
      continue;
    const auto mean = (g * dy).mean(), mean_n = (g * dy * n).mean();
    array(pass.dx.subspan(i * width_, width_)) = scale_[i] * (g * dy - mean - n * mean_n);
  }
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> LayerNormLayer<Scalar>::clone() const {
  return std::make_unique<LayerNormLayer>(*this);
}

template class LayerNormLayer<float>;
template class LayerNormLayer<double>;

namespace {

struct LayerNormOptions {
  double epsilon = 1e-5; ///< added to the variance
  TROUPE_FIELDS(epsilon);
};

const RegisterLayer layer_norm_kind{
  {"layer_norm",
   [](const config::Node& given, const std::string& path,
      const LayerData&) -> std::unique_ptr<Layer<float>> {
     const auto options = layer_options<LayerNormOptions>(given, path, "epsilon");
     return std::make_unique<LayerNormLayer<float>>(options.epsilon);
   }}};

} // namespace

} // namespace troupe
