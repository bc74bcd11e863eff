#include "troupe/model/layers/pooling.hpp"

#include "troupe/model/layers/checks.hpp"

#include <algorithm>

namespace troupe {

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
template <class Function>
void PoolingLayer<Scalar>::each_window(Index images, Function window) const {
  Index out = 0;
  for (Index image = 0; image < images; ++image)
    for (Index py = 0; py < y_.positions(); ++py)
      for (Index px = 0; px < x_.positions(); ++px, out += channels_) {
        const auto top = std::max<Index>(0, y_.place(py, 0));
        const auto left = std::max<Index>(0, x_.place(px, 0));
        const auto rows = std::min(y_.length, y_.place(py, y_.kernel)) - top;
        const auto places = std::min(x_.length, x_.place(px, x_.kernel)) - left;
        const auto first = ((image * y_.length + top) * x_.length + left) * channels_;
        window(out, first, rows, places);
      }
}

template <class Scalar>
void MaxPoolingLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                      std::span<Scalar> y) {
  largest_.resize(y.size());
  const auto channels = this->channels_, line = this->x_.length * channels;
  this->each_window(this->images(x), [&](Index out, Index first, Index rows, Index places) {
    auto* best = y.data() + out;
    auto* where = largest_.data() + out;
    std::copy_n(x.data() + first, channels, best);
    std::fill_n(where, channels, 0);
    for (Index r = 0; r < rows; ++r)
      for (Index p = 0; p < places; ++p) {
        const auto offset = r * line + p * channels;
        const auto* in = x.data() + first + offset;
        // A NaN is taken, so that a diverged run shows.
        for (Index c = 0; c < channels; ++c) {
          const auto larger = in[c] > best[c] || in[c] != in[c];
          best[c] = larger ? in[c] : best[c];
          where[c] = larger ? static_cast<std::int32_t>(offset) : where[c];
        }
      }
  });
}

template <class Scalar>
void MaxPoolingLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (pass.dx.empty())
    return;
  std::fill(pass.dx.begin(), pass.dx.end(), Scalar{0});
  this->each_window(this->images(pass.x), [&](Index out, Index first, Index, Index) {
    for (Index c = 0; c < this->channels_; ++c)
      pass.dx[first + largest_[out + c] + c] += pass.dy[out + c];
  });
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
  this->each_window(this->images(x), [&](Index out, Index first, Index rows, Index places) {
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
  std::fill(pass.dx.begin(), pass.dx.end(), Scalar{0});
  this->each_window(this->images(pass.x), [&](Index out, Index first, Index rows, Index places) {
    const auto share = 1 / static_cast<Scalar>(rows * places);
    for (Index r = 0; r < rows; ++r)
      for (Index p = 0; p < places; ++p)
        for (Index c = 0; c < channels; ++c)
          pass.dx[first + r * line + p * channels + c] += share * pass.dy[out + c];
  });
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

} // namespace troupe
