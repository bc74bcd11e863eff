#include "model/layers/batch_norm.hpp"

#include "model/layers/checks.hpp"
#include "model/layers/layer_kind.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

template <class Scalar>
BatchNormLayer<Scalar>::BatchNormLayer(BatchNormOptions options) : options_(options) {
  if (!(options.epsilon > 0))
    throw std::invalid_argument("a batch_norm layer has the epsilon "
                                + std::to_string(options.epsilon) + "; give more than 0");
  if (!(options.momentum > 0 && options.momentum <= 1))
    throw std::invalid_argument("a batch_norm layer has the momentum "
                                + std::to_string(options.momentum)
                                + "; give more than 0, at most 1");
}

template <class Scalar>
Shape BatchNormLayer<Scalar>::connect(const Shape& input, const std::string& prefix,
                                      Layout& layout) {
  const auto who = "batch_norm layer '" + prefix + "'";
  if (input.size() < 2)
    refuse_shape(who, input, "[any, ..., channels]");
  known_width(input, who);
  channels_ = input.back();
  weight_ = layout.add(prefix + ".weight", {channels_});
  bias_ = layout.add(prefix + ".bias", {channels_});
  mean_ = layout.add(prefix + ".mean", {channels_}, ParameterRole::statistic);
  variance_ = layout.add(prefix + ".variance", {channels_}, ParameterRole::statistic);
  const auto n = static_cast<std::size_t>(channels_);
  for (auto* buffer : {&means_, &variances_, &sums_, &moments_})
    buffer->resize(n);
  scales_.resize(n);
  return input;
}

template <class Scalar>
void BatchNormLayer<Scalar>::initialize(std::span<Scalar> parameters, RandomKey) const {
  for (const auto& [offset, value] :
       {std::pair{weight_, 1}, {bias_, 0}, {mean_, 0}, {variance_, 1}})
    std::fill_n(parameters.data() + offset, channels_, static_cast<Scalar>(value));
}

template <class Scalar>
void BatchNormLayer<Scalar>::measure(std::span<const Scalar> x) {
  const auto rows = static_cast<double>(x.size()) / static_cast<double>(channels_);
  const auto average = [&](Buffer<double>& result, auto term) {
    std::fill(result.begin(), result.end(), 0.0);
    for (const auto* row = x.data(); row != x.data() + x.size(); row += channels_)
      for (Index c = 0; c < channels_; ++c)
        result[c] += term(row[c], c);
    for (auto& value : result)
      value /= rows;
  };
  average(means_, [](double value, Index) { return value; });
  average(variances_, [&](double value, Index c) {
    const auto distance = value - means_[c];
    return distance * distance;
  });
}

template <class Scalar>
void BatchNormLayer<Scalar>::forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
                                     std::span<Scalar> y) {
  if (training_) {
    measure(x);
  } else {
    std::copy_n(parameters.data() + mean_, channels_, means_.data());
    // Update rules that extrapolate (downpour with several workers) can make a small running
    // variance negative.
    std::transform(parameters.data() + variance_, parameters.data() + variance_ + channels_,
                   variances_.data(), [](Scalar v) { return v < 0 ? 0.0 : double{v}; });
  }
  for (Index c = 0; c < channels_; ++c)
    scales_[c] = static_cast<Scalar>(1 / std::sqrt(variances_[c] + options_.epsilon));
  const auto *weight = parameters.data() + weight_, *bias = parameters.data() + bias_;
  for (std::size_t i = 0; i < x.size(); i += static_cast<std::size_t>(channels_))
    for (Index c = 0; c < channels_; ++c)
      y[i + c] = weight[c] * (x[i + c] - static_cast<Scalar>(means_[c])) * scales_[c] + bias[c];
}

// With x^ = (x - mean) / sqrt(variance + epsilon): d weight = sum dy x^, d bias = sum dy, and where
// mean and variance are those of the batch
//   dx = weight / sqrt(variance + epsilon) (dy - (d bias + x^ d weight) / m)
template <class Scalar>
void BatchNormLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  const auto step = static_cast<std::size_t>(channels_);
  const auto normalized = [&](std::size_t i, Index c) {
    return (pass.x[i + c] - static_cast<Scalar>(means_[c])) * scales_[c];
  };
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::fill(moments_.begin(), moments_.end(), 0.0);
  for (std::size_t i = 0; i < pass.x.size(); i += step)
    for (Index c = 0; c < channels_; ++c) {
      sums_[c] += pass.dy[i + c];
      moments_[c] += pass.dy[i + c] * normalized(i, c);
    }
  const auto m = static_cast<double>(pass.x.size()) / static_cast<double>(step);
  const auto unbiased = m > 1 ? m / (m - 1) : 1.0;
  const auto momentum = training_ ? options_.momentum : 0.0;
  for (Index c = 0; c < channels_; ++c) {
    pass.gradient[weight_ + c] = static_cast<Scalar>(moments_[c]);
    pass.gradient[bias_ + c] = static_cast<Scalar>(sums_[c]);
    pass.gradient[mean_ + c]
      = static_cast<Scalar>(momentum * (means_[c] - pass.parameters[mean_ + c]));
    pass.gradient[variance_ + c]
      = static_cast<Scalar>(momentum * (unbiased * variances_[c] - pass.parameters[variance_ + c]));
  }
  const auto through_statistics = training_ ? 1 / m : 0.0;
  for (std::size_t i = 0; i < pass.dx.size(); i += step)
    for (Index c = 0; c < channels_; ++c) {
      const auto common
        = static_cast<Scalar>(through_statistics)
          * (static_cast<Scalar>(sums_[c]) + normalized(i, c) * static_cast<Scalar>(moments_[c]));
      pass.dx[i + c] = pass.parameters[weight_ + c] * scales_[c] * (pass.dy[i + c] - common);
    }
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> BatchNormLayer<Scalar>::clone() const {
  return std::make_unique<BatchNormLayer>(*this);
}

template class BatchNormLayer<float>;
template class BatchNormLayer<double>;

namespace {

const RegisterLayer batch_norm_kind{
  layer_kind<BatchNormLayer<float>, BatchNormOptions>("batch_norm", "momentum")};

} // namespace

} // namespace troupe
