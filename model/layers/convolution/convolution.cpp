#include "model/layers/convolution/convolution.hpp"

#include "model/layers/checks.hpp"
#include "model/layers/initializers.hpp"
#include "model/layers/layer_kind.hpp"

#include <stdexcept>

namespace troupe {

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
    throw std::invalid_argument(who + " cannot divide " + std::to_string(image.channels)
                                + " input and " + std::to_string(o.channels)
                                + " output channels into " + std::to_string(o.groups)
                                + " groups; both must be multiples of the number of groups");
  windows_.x = {image.width, o.kernel, o.stride, o.padding, o.dilation};
  if (dimensions_ == 2)
    windows_.y = {image.height, o.kernel, o.stride, o.padding, o.dilation};
  windows_.channels = image.channels;
  windows_.groups = o.groups;
  windows_.x.check(who);
  windows_.y.check(who);
  prefix_ = prefix;
  Shape weight{o.kernel, image.channels / o.groups, o.channels};
  Shape output{input.front(), windows_.x.positions(), o.channels};
  if (dimensions_ == 2) {
    weight.insert(weight.begin(), o.kernel);
    output.insert(output.begin() + 1, windows_.y.positions());
  }
  weight_ = layout.add(prefix + ".weight", std::move(weight));
  bias_ = layout.add(prefix + ".bias", {o.channels});
  convolution_ = ConvolutionKernels<Scalar>{windows_, o.channels};
  return output;
}

template <class Scalar>
void ConvolutionLayer<Scalar>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  const auto in = windows_.columns(), out = options_.channels;
  // Each input number contributes to the window's positions times the outputs of its group.
  const auto fan_out = windows_.y.kernel * windows_.x.kernel * out / options_.groups;
  initialize_weights(options_.initializer, parameters.subspan(weight_, in * out), in, fan_out,
                     key.derive(prefix_ + ".weight"));
  initialize_biases(options_.initializer, parameters.subspan(bias_, out), in,
                    key.derive(prefix_ + ".bias"));
}

template <class Scalar>
void ConvolutionLayer<Scalar>::forward(std::span<const Scalar> parameters,
                                       std::span<const Scalar> x, std::span<Scalar> y) {
  convolution_.forward(parameters.data() + weight_, parameters.data() + bias_, x, y.data());
}

template <class Scalar>
void ConvolutionLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  convolution_.backward_parameters(pass.x, pass.dy.data(), pass.gradient.data() + weight_,
                                   pass.gradient.data() + bias_);
  if (!pass.dx.empty())
    convolution_.backward_input(pass.parameters.data() + weight_, pass.dy.data(), pass.dx);
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> ConvolutionLayer<Scalar>::clone() const {
  return std::make_unique<ConvolutionLayer>(*this);
}

template class ConvolutionLayer<float>;
template class ConvolutionLayer<double>;

namespace {

LayerKind convolution_kind(std::string name, int dimensions) {
  return {std::move(name),
          [dimensions](const config::Node& given, const std::string& path,
                       const LayerData&) -> std::unique_ptr<Layer<float>> {
            return std::make_unique<ConvolutionLayer<float>>(
              dimensions, layer_options<ConvolutionOptions>(given, path, "channels"));
          },
          [] { return config::encode(ConvolutionOptions{}); }};
}

const RegisterLayer conv1d_kind{convolution_kind("conv1d", 1)};
const RegisterLayer conv2d_kind{convolution_kind("conv2d", 2)};

} // namespace

} // namespace troupe
