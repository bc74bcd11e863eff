#include "model/layers/convolution/pooling.hpp"

#include "model/kernels/lanes.hpp"
#include "model/layers/checks.hpp"
#include "model/layers/layer_kind.hpp"

#include <algorithm>

namespace troupe {

namespace {

/// An integer for each lane, as wide as a Scalar.
template <class Scalar>
using LaneNumbers = decltype(Lanes<Scalar>{} > Lanes<Scalar>{});
template <class Scalar>
using StoredNumbers __attribute__((vector_size(lane_count<Scalar> * sizeof(std::int32_t))))
= std::int32_t;

/// Calls function(first, count) for groups of channels, as many as a register has lanes.
template <class Scalar, class Function>
void each_register(Index channels, Function function) {
  for (Index c = 0; c < channels; c += lane_count<Scalar>)
    function(c, std::min(lane_count<Scalar>, channels - c));
}

/// True if each number is in exactly one window.
bool tiles(const WindowAxis& axis) {
  return axis.stride == axis.kernel && axis.padding == 0 && axis.length % axis.kernel == 0;
}

/// Calls function(rows, places), with constants for the most common window, so that its loops are
/// unrolled.
template <class Function>
void with_window(Index rows, Index places, Function function) {
  constexpr std::integral_constant<Index, 2> two;
  if (rows == two && places == two)
    function(two, two);
  else
    function(rows, places);
}

} // namespace

template <class Scalar>
Shape PoolingLayer<Scalar>::connect(const Shape& input, const std::string& prefix, Layout&) {
  const auto who = this->kind() + " layer '" + prefix + "'";
  if (input.size() != 3 && input.size() != 4)
    refuse_shape(who, input, "[any, height, width, channels] or [any, length, channels]");
  const auto dimensions = static_cast<int>(input.size()) - 2;
  const auto image = image_shape(input, dimensions, who);
  const auto stride = options_.stride == 0 ? options_.size : options_.stride;
  x_ = {image.width, options_.size, stride, options_.padding, 1};
  if (dimensions == 2)
    y_ = {image.height, options_.size, stride, options_.padding, 1};
  x_.check(who);
  y_.check(who);
  channels_ = image.channels;
  auto output = input;
  output[input.size() - 2] = x_.positions();
  if (dimensions == 2)
    output[1] = y_.positions();
  return output;
}

template <class Scalar>
Index PoolingLayer<Scalar>::images(std::span<const Scalar> x) const {
  return static_cast<Index>(x.size()) / (y_.length * x_.length * channels_);
}

template <class Scalar>
void PoolingLayer<Scalar>::clear(Index image, std::span<Scalar> images) const {
  const auto size = y_.length * x_.length * channels_;
  std::fill_n(images.begin() + image * size, size, Scalar{0});
}

template <class Scalar>
template <class Function>
void PoolingLayer<Scalar>::each_window(Index image, Function window) const {
  // Local copies: the compiler cannot know that the numbers of a window do not alias the members.
  const auto y = y_, x = x_;
  const auto down = y.positions(), across = x.positions(), channels = channels_;
  auto out = image * down * across * channels;
  for (Index py = 0; py < down; ++py)
    for (Index px = 0; px < across; ++px, out += channels) {
      const auto top = std::max<Index>(0, y.place(py, 0));
      const auto left = std::max<Index>(0, x.place(px, 0));
      const auto rows = std::min(y.length, y.place(py, y.kernel)) - top;
      const auto places = std::min(x.length, x.place(px, x.kernel)) - left;
      window(out, ((image * y.length + top) * x.length + left) * channels, rows, places);
    }
}

template <class Scalar>
void MaxPoolingLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                      std::span<Scalar> y) {
  // Whole registers are stored: the excess of one is overwritten by the next.
  largest_.resize(y.size() + lane_count<Scalar>);
  auto* largest = largest_.data();
  const auto channels = this->channels_, line = this->x_.length * channels;
  const auto pool = [=](Index out, Index first, Index count, auto rows, auto places) {
    const auto* in = x.data() + first;
    auto best = load_some(in, count);
    LaneNumbers<Scalar> where{};
    for (Index r = 0; r < rows; ++r)
      for (Index p = 0; p < places; ++p) {
        const auto offset = static_cast<std::int32_t>(r * line + p * channels);
        const auto value = load_some(in + offset, count);
        // NaN wins, so that a diverged run shows.
        const auto larger = (value > best) | (value != value);
        best = larger ? value : best;
        where = larger ? LaneNumbers<Scalar>{} + offset : where;
      }
    store_some(best, y.data() + out, count);
    const auto stored = __builtin_convertvector(where, StoredNumbers<Scalar>);
    std::memcpy(largest + out, &stored, sizeof stored);
  };
  for (Index image = 0; image < this->images(x); ++image)
    this->each_window(image, [&](Index out, Index first, Index rows, Index places) {
      with_window(rows, places, [&](auto r, auto p) {
        each_register<Scalar>(channels,
                              [&](Index c, Index count) { pool(out + c, first + c, count, r, p); });
      });
    });
}

template <class Scalar>
void MaxPoolingLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (pass.dx.empty())
    return;
  const auto channels = this->channels_, line = this->x_.length * channels;
  const auto apart = this->x_.stride >= this->x_.kernel && this->y_.stride >= this->y_.kernel;
  const auto* largest = largest_.data();
  const auto spread = [=](Index out, Index first, Index count, auto rows, auto places) {
    const auto slope = load_some(pass.dy.data() + out, count);
    StoredNumbers<Scalar> stored;
    std::memcpy(&stored, largest + out, sizeof stored);
    const auto where = __builtin_convertvector(stored, LaneNumbers<Scalar>);
    for (Index r = 0; r < rows; ++r)
      for (Index p = 0; p < places; ++p) {
        const auto offset = static_cast<std::int32_t>(r * line + p * channels);
        auto* to = pass.dx.data() + first + offset;
        const auto share = where == offset ? slope : Lanes<Scalar>{};
        // A load that follows a store to some of its numbers stalls.
        store_some<Scalar>(apart ? share : load_some<Scalar>(to, count) + share, to, count);
      }
  };
  for (Index image = 0; image < this->images(pass.x); ++image) {
    if (!tiles(this->x_) || !tiles(this->y_))
      this->clear(image, pass.dx); // just before use, while it is in the L1 cache
    this->each_window(image, [&](Index out, Index first, Index rows, Index places) {
      with_window(rows, places, [&](auto r, auto p) {
        each_register<Scalar>(
          channels, [&](Index c, Index count) { spread(out + c, first + c, count, r, p); });
      });
    });
  }
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> MaxPoolingLayer<Scalar>::clone() const {
  return std::make_unique<MaxPoolingLayer>(*this);
}

template <class Scalar>
void AveragePoolingLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                          std::span<Scalar> y) {
  const auto channels = this->channels_, line = this->x_.length * channels;
  std::fill(y.begin(), y.end(), Scalar{0});
  for (Index image = 0; image < this->images(x); ++image)
    this->each_window(image, [&](Index out, Index first, Index rows, Index places) {
      auto* mean = y.data() + out;
      for (Index r = 0; r < rows; ++r)
        for (Index p = 0; p < places; ++p)
          for (Index c = 0; c < channels; ++c)
            mean[c] += x[first + r * line + p * channels + c];
      for (Index c = 0; c < channels; ++c)
        mean[c] /= static_cast<Scalar>(rows * places);
    });
}

template <class Scalar>
void AveragePoolingLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (pass.dx.empty())
    return;
  const auto channels = this->channels_, line = this->x_.length * channels;
  for (Index image = 0; image < this->images(pass.x); ++image) {
    this->clear(image, pass.dx); // just before use, while it is in the L1 cache
    this->each_window(image, [&](Index out, Index first, Index rows, Index places) {
      const auto share = 1 / static_cast<Scalar>(rows * places);
      for (Index r = 0; r < rows; ++r)
        for (Index p = 0; p < places; ++p)
          for (Index c = 0; c < channels; ++c)
            pass.dx[first + r * line + p * channels + c] += share * pass.dy[out + c];
    });
  }
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> AveragePoolingLayer<Scalar>::clone() const {
  return std::make_unique<AveragePoolingLayer>(*this);
}

template class PoolingLayer<float>;
template class PoolingLayer<double>;
template class MaxPoolingLayer<float>;
template class MaxPoolingLayer<double>;
template class AveragePoolingLayer<float>;
template class AveragePoolingLayer<double>;

namespace {

const RegisterLayer max_pooling_kind{
  layer_kind<MaxPoolingLayer<float>, PoolingOptions>("max_pooling", "size")};
const RegisterLayer average_pooling_kind{
  layer_kind<AveragePoolingLayer<float>, PoolingOptions>("average_pooling", "size")};

} // namespace

} // namespace troupe
