#include "model/zoo/lenet.hpp"

#include "model/layers/activations.hpp"
#include "model/layers/convolution/convolution.hpp"
#include "model/layers/convolution/pooling.hpp"
#include "model/layers/flatten.hpp"
#include "model/layers/linear.hpp"
#include "model/layers/output.hpp"
#include "model/zoo/network_kind.hpp"

namespace troupe {

template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>> make_lenet(const DataSpec& data, const LenetOptions& options,
                                                 const NetworkBasics& basics) {
  typename BasicNetwork<Scalar>::Layers layers;
  const auto activation = [&] { layers.push_back(make_activation<Scalar>(options.activation)); };
  const auto convolution = [&](Index channels, Index padding) {
    layers.push_back(std::make_unique<ConvolutionLayer<Scalar>>(
      2, ConvolutionOptions{.channels = channels,
                            .kernel = 5,
                            .padding = padding,
                            .initializer = options.initializer}));
    activation();
    layers.push_back(std::make_unique<MaxPoolingLayer<Scalar>>());
  };
  const auto linear = [&](Index outputs) {
    layers.push_back(std::make_unique<LinearLayer<Scalar>>(outputs, options.initializer));
  };
  convolution(6, 2);
  convolution(16, 0);
  layers.push_back(std::make_unique<FlattenLayer<Scalar>>());
  linear(120);
  activation();
  linear(84);
  activation();
  layers.push_back(
    std::make_unique<OutputLayer<Scalar>>(prediction_shape(data), options.initializer));
  return std::make_unique<BasicNetwork<Scalar>>(std::move(layers), data, basics, "lenet");
}

template std::unique_ptr<BasicNetwork<float>> make_lenet(const DataSpec&, const LenetOptions&,
                                                         const NetworkBasics&);
template std::unique_ptr<BasicNetwork<double>> make_lenet(const DataSpec&, const LenetOptions&,
                                                          const NetworkBasics&);

namespace {

const RegisterModel lenet_kind{network_kind<LenetOptions>("lenet", make_lenet<float>)};

} // namespace

} // namespace troupe
