#include "troupe/model/layers/convolution.hpp"

#include "troupe/model/initializers.hpp"
#include "troupe/model/layers/checks.hpp"
#include "troupe/model/product.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

constexpr Index numbers_at_once = Index{1} << 17; // of windows: 256 KB of floats, in the L2 cache

/// Writes `row` again and again: what is written twice as far each time, in few long copies.
template <class Scalar>
void repeat(std::span<const Scalar> row, std::span<Scalar> to) {
  auto written = std::min(row.size(), to.size());
  std::copy_n(row.data(), written, to.data());
  for (; written < to.size(); written += std::min(written, to.size() - written))
    std::copy_n(to.data(), std::min(written, to.size() - written), to.data() + written);
}

} // namespace

template <class Scalar>
ConvolutionLayer<Scalar>::ConvolutionLayer(int dimensions, ConvolutionOptions options)
  : dimensions_(dimensions),
    options_(std::move(options)) {
  check_positive("a " + kind() + " layer", "channels", options_.channels);
  check_initializer(options_.initializer);
}

template <class Scalar>
Shape ConvolutionLayer<Scalar>::connect(const Shape& input, const std::string& prefix,
                                        Layout& layout) {
  const auto who = kind() + " layer '" + prefix + "'";
  const auto image = image_shape(input, dimensions_, who);
  const auto& o = options_;
  if (o.groups < 1 || image.channels % o.groups != 0 || o.channels % o.groups != 0)
    throw std::invalid_argument(who + " cannot part " + std::to_string(image.channels)
                                + " input and " + std::to_string(o.channels)
                                + " output channels into " + std::to_string(o.groups)
                                + " groups; both must be multiples of it");
  patches_.x = {image.width, o.kernel, o.stride, o.padding, o.dilation};
  if (dimensions_ == 2)
    patches_.y = {image.height, o.kernel, o.stride, o.padding, o.dilation};
  patches_.channels = image.channels;
  patches_.groups = o.groups;
  patches_.x.check(who);
  patches_.y.check(who);
  prefix_ = prefix;
  Shape weight{o.kernel, image.channels / o.groups, o.channels};
  Shape output{input.front(), patches_.x.positions(), o.channels};
  if (dimensions_ == 2) {
    weight.insert(weight.begin(), o.kernel);
    output.insert(output.begin() + 1, patches_.y.positions());
  }
  weight_ = layout.add(prefix + ".weight", std::move(weight));
  bias_ = layout.add(prefix + ".bias", {o.channels});
  const auto size = patches_.positions() * patches_.columns();
  images_at_once_ = std::max<Index>(1, numbers_at_once / size);
  rows_ = Buffer<Scalar>(static_cast<std::size_t>(images_at_once_ * size));
  return output;
}

template <class Scalar>
void ConvolutionLayer<Scalar>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  const auto in = patches_.columns(), out = options_.channels;
  // Each input number goes to a window's places times the outputs of its group.
  const auto fan_out = patches_.y.kernel * patches_.x.kernel * out / options_.groups;
  initialize_weights(options_.initializer, parameters.subspan(weight_, in * out), in, fan_out,
                     key.derive(prefix_ + ".weight"));
  initialize_biases(options_.initializer, parameters.subspan(bias_, out), in,
                    key.derive(prefix_ + ".bias"));
}

template <class Scalar>
Index ConvolutionLayer<Scalar>::images(std::span<const Scalar> x) const {
  return static_cast<Index>(x.size()) / patches_.image_size();
}

template <class Scalar>
template <class Function>
void ConvolutionLayer<Scalar>::each_slice(Index images, Function function) {
  for (Index first = 0; first < images; first += images_at_once_)
    for (Index group = 0; group < options_.groups; ++group)
      function(Slice{first, std::min(images_at_once_, images - first)}, group);
}

template <class Scalar>
void ConvolutionLayer<Scalar>::gather(const Scalar* x, const Slice& slice, Index group) {
  for (Index i = 0; i < slice.count; ++i)
    patches_.gather(x + (slice.first + i) * patches_.image_size(), group,
                    rows_.data() + i * patches_.positions() * patches_.columns());
}

template <class Scalar>
void ConvolutionLayer<Scalar>::forward(std::span<const Scalar> parameters,
                                       std::span<const Scalar> x, std::span<Scalar> y) {
  const auto positions = patches_.positions(), columns = patches_.columns();
  const auto all = options_.channels, part = all / options_.groups;
  const auto bias = parameters.subspan(bias_, all);
  each_slice(images(x), [&](const Slice& slice, Index group) {
    gather(x.data(), slice, group);
    const auto n = slice.count * positions;
    if (group == 0) // while the slice is in the cache
      repeat(bias, y.subspan(slice.first * positions * all, n * all));
    product({rows_.data(), n, columns},
            {parameters.data() + weight_ + group * part, columns, part, all},
            {y.data() + slice.first * positions * all + group * part, n, part, all}, Write::add);
  });
}

template <class Scalar>
void ConvolutionLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  const auto positions = patches_.positions(), columns = patches_.columns();
  const auto all = options_.channels, part = all / options_.groups;
  auto* dw = pass.gradient.data() + weight_;
  auto* db = pass.gradient.data() + bias_;
  std::fill_n(dw, columns * all, Scalar{0});
  std::fill_n(db, all, Scalar{0});
  for (const auto* row = pass.dy.data(); row != pass.dy.data() + pass.dy.size(); row += all)
    for (Index o = 0; o < all; ++o)
      db[o] += row[o];
  std::fill(pass.dx.begin(), pass.dx.end(), Scalar{0});
  each_slice(images(pass.x), [&](const Slice& slice, Index group) {
    gather(pass.x.data(), slice, group);
    const auto n = slice.count * positions;
    const Factor<Scalar> dy{pass.dy.data() + slice.first * positions * all + group * part, n, part,
                            all};
    product(transposed(Factor<Scalar>{rows_.data(), n, columns}), dy,
            {dw + group * part, columns, part, all}, Write::add);
    if (pass.dx.empty())
      return;
    const Factor<Scalar> w{pass.parameters.data() + weight_ + group * part, columns, part, all};
    product(dy, transposed(w), {rows_.data(), n, columns});
    for (Index i = 0; i < slice.count; ++i)
      patches_.scatter_add(rows_.data() + i * positions * columns, group,
                           pass.dx.data() + (slice.first + i) * patches_.image_size());
  });
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> ConvolutionLayer<Scalar>::clone() const {
  return std::make_unique<ConvolutionLayer>(*this);
}

template class ConvolutionLayer<float>;
template class ConvolutionLayer<double>;

} // namespace troupe
