#include "model/layers/batch_norm.hpp"

#include "model/kernels/lanes.hpp"
#include "model/layers/checks.hpp"
#include "model/layers/layer_kind.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace troupe {

namespace {

/// Numbers of some rows that stay in the L1 cache while their channels are gone through.
constexpr Index numbers_of_rows = 4096;

/// Calls function(first row, rows, first channel, channels) for strips of a matrix [rows, channels]
/// one register wide; the number of channels is a constant where they fill the register.
template <class Scalar, class Function>
void each_channel_strip(Index rows, Index channels, Function function) {
  constexpr std::integral_constant<Index, lane_count<Scalar>> whole;
  const auto most = std::max<Index>(16, numbers_of_rows / channels);
  for (Index first = 0; first < rows; first += most) {
    const auto count = std::min(most, rows - first);
    for (Index c = 0; c < channels; c += whole)
      if (channels - c >= whole)
        function(first, count, c, whole);
      else
        function(first, count, c, channels - c);
  }
}

/// The sum of row(0) to row(rows - 1), in four parts for the latency of an addition.
template <class Scalar, class Row>
Lanes<Scalar> sum_of_rows(Index rows, Row row) {
  Lanes<Scalar> sums[4] = {};
  Index r = 0;
  for (; r + 4 <= rows; r += 4) {
    sums[0] += row(r);
    sums[1] += row(r + 1);
    sums[2] += row(r + 2);
    sums[3] += row(r + 3);
  }
  for (; r < rows; ++r)
    sums[0] += row(r);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

} // namespace

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
  for (auto* buffer : {&centers_, &scales_, &factors_, &biases_, &shifts_, &slopes_})
    buffer->resize(n);
  return input;
}

template <class Scalar>
void BatchNormLayer<Scalar>::initialize(std::span<Scalar> parameters, RandomKey) const {
  for (const auto& [offset, value] :
       {std::pair{weight_, 1}, {bias_, 0}, {mean_, 0}, {variance_, 1}})
    std::fill_n(parameters.data() + offset, channels_, static_cast<Scalar>(value));
}

// Sums over a strip are taken in registers, and added to the others in double. Mean and variance
// come from one pass over memory: Chan, Golub & LeVeque, "Updating formulae and a pairwise algorithm
// for computing sample variances", 1979, eq. 2.1.
template <class Scalar>
void BatchNormLayer<Scalar>::measure(std::span<const Scalar> x) {
  const auto rows = static_cast<Index>(x.size()) / channels_;
  std::fill(means_.begin(), means_.end(), 0.0);
  std::fill(variances_.begin(), variances_.end(), 0.0); // first the sums of squared distances
  each_channel_strip<Scalar>(rows, channels_, [&](Index first, Index count, Index c, auto n) {
    const auto* from = x.data() + first * channels_ + c;
    const auto row = [&](Index r) { return load_some(from + r * channels_, n); };
    const auto mean = sum_of_rows<Scalar>(count, row) / static_cast<Scalar>(count);
    const auto squares = sum_of_rows<Scalar>(count, [&](Index r) {
      const auto distance = row(r) - mean;
      return distance * distance;
    });
    const auto share = static_cast<double>(count) / static_cast<double>(first + count);
    for (Index i = 0; i < n; ++i) {
      const auto distance = double{mean[i]} - means_[c + i];
      means_[c + i] += share * distance;
      variances_[c + i]
        += double{squares[i]} + static_cast<double>(first) * share * distance * distance;
    }
  });
  for (auto& variance : variances_)
    variance /= static_cast<double>(rows);
}

/// Calls function(std::true_type or std::false_type).
template <class Scalar>
template <class Function>
void BatchNormLayer<Scalar>::with_rectifying(Function function) const {
  rectifies_ ? function(std::true_type{}) : function(std::false_type{});
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
  for (Index c = 0; c < channels_; ++c) {
    centers_[c] = static_cast<Scalar>(means_[c]);
    scales_[c] = static_cast<Scalar>(1 / std::sqrt(variances_[c] + options_.epsilon));
    factors_[c] = parameters[weight_ + c] * scales_[c];
    biases_[c] = parameters[bias_ + c];
  }
  const auto rows = static_cast<Index>(x.size()) / channels_;
  with_rectifying([&](auto rectifies) {
    each_channel_strip<Scalar>(rows, channels_, [&](Index first, Index count, Index c, auto n) {
      const auto center = load_some(&centers_[c], n), factor = load_some(&factors_[c], n),
                 bias = load_some(&biases_[c], n);
      for (auto at = first * channels_ + c; count > 0; --count, at += channels_) {
        Lanes<Scalar> result = (load_some(x.data() + at, n) - center) * factor + bias;
        if constexpr (rectifies)
          result = result < Lanes<Scalar>{} ? Lanes<Scalar>{} : result; // NaN stays NaN
        store_some<Scalar>(result, y.data() + at, n);
      }
    });
  });
}

// With x^ = (x - mean) / sqrt(variance + epsilon): d weight = sum dy x^, d bias = sum dy, and where
// mean and variance are those of the batch
//   dx = weight / sqrt(variance + epsilon) (dy - (d bias + x^ d weight) / m)
template <class Scalar>
void BatchNormLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  const auto rows = static_cast<Index>(pass.x.size()) / channels_;
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::fill(moments_.begin(), moments_.end(), 0.0);
  const auto each_strip = [&](auto with) {
    with_rectifying([&](auto rectifies) {
      each_channel_strip<Scalar>(rows, channels_, [&](Index first, Index count, Index c, auto n) {
        const auto center = load_some(&centers_[c], n), factor = load_some(&factors_[c], n),
                   bias = load_some(&biases_[c], n);
        /// x - mean and the gradient before rectifying, at a row of the strip
        const auto row = [&, from = first * channels_ + c](Index r) {
          const Lanes<Scalar> distance
            = load_some(pass.x.data() + from + r * channels_, n) - center;
          auto slope = load_some(pass.dy.data() + from + r * channels_, n);
          if constexpr (rectifies)
            slope = distance * factor + bias > Lanes<Scalar>{} ? slope : Lanes<Scalar>{};
          return std::pair{distance, slope};
        };
        with(row, first, count, c, n);
      });
    });
  };
  each_strip([&](const auto& row, Index, Index count, Index c, auto n) {
    Lanes<Scalar> sums[2] = {}, moments[2] = {}; // two, for the latency of an addition
    const auto add = [&](auto to, Index r) {
      const auto [distance, slope] = row(r);
      sums[to] += slope;
      moments[to] += slope * distance;
    };
    constexpr std::integral_constant<int, 0> even;
    constexpr std::integral_constant<int, 1> odd;
    Index r = 0;
    for (; r + 2 <= count; r += 2) {
      add(even, r);
      add(odd, r + 1);
    }
    if (r < count)
      add(even, r);
    sums[0] += sums[1];
    moments[0] += moments[1];
    for (Index i = 0; i < n; ++i) {
      sums_[c + i] += double{sums[0][i]};
      moments_[c + i] += double{moments[0][i]} * scales_[c + i];
    }
  });
  const auto m = static_cast<double>(rows);
  const auto unbiased = m > 1 ? m / (m - 1) : 1.0;
  const auto momentum = training_ ? options_.momentum : 0.0;
  const auto through_statistics = training_ ? 1 / m : 0.0;
  for (Index c = 0; c < channels_; ++c) {
    pass.gradient[weight_ + c] = static_cast<Scalar>(moments_[c]);
    pass.gradient[bias_ + c] = static_cast<Scalar>(sums_[c]);
    pass.gradient[mean_ + c]
      = static_cast<Scalar>(momentum * (means_[c] - pass.parameters[mean_ + c]));
    pass.gradient[variance_ + c]
      = static_cast<Scalar>(momentum * (unbiased * variances_[c] - pass.parameters[variance_ + c]));
    shifts_[c] = static_cast<Scalar>(through_statistics * factors_[c] * sums_[c]);
    slopes_[c] = static_cast<Scalar>(through_statistics * factors_[c] * scales_[c] * moments_[c]);
  }
  if (pass.dx.empty())
    return;
  each_strip([&](const auto& row, Index first, Index count, Index c, auto n) {
    const auto factor = load_some(&factors_[c], n), shift = load_some(&shifts_[c], n),
               through = load_some(&slopes_[c], n);
    for (Index r = 0; r < count; ++r) {
      const auto [distance, slope] = row(r);
      store_some<Scalar>(factor * slope - shift - through * distance,
                         pass.dx.data() + (first + r) * channels_ + c, n);
    }
  });
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
