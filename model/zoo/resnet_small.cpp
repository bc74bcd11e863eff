#include "model/zoo/resnet_small.hpp"

#include "model/layers/batch_norm.hpp"
#include "model/layers/convolution/convolution.hpp"
#include "model/layers/global_pooling.hpp"
#include "model/layers/output.hpp"
#include "model/layers/relu.hpp"
#include "model/layers/residual.hpp"
#include "model/zoo/network_kind.hpp"

#include <stdexcept>

namespace troupe {

namespace {

template <class Scalar>
using LayerList = typename BasicNetwork<Scalar>::Layers;

template <class Scalar>
void add_convolution(LayerList<Scalar>& layers, Index channels, Index kernel, Index stride) {
  layers.push_back(std::make_unique<ConvolutionLayer<Scalar>>(
    2, ConvolutionOptions{
         .channels = channels, .kernel = kernel, .stride = stride, .padding = kernel / 2}));
  layers.push_back(std::make_unique<BatchNormLayer<Scalar>>());
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> residual_block(Index channels, Index stride, bool widens) {
  LayerList<Scalar> inner, shortcut;
  add_convolution<Scalar>(inner, channels, 3, stride);
  inner.push_back(std::make_unique<ReluLayer<Scalar>>());
  add_convolution<Scalar>(inner, channels, 3, 1);
  if (widens)
    add_convolution<Scalar>(shortcut, channels, 1, stride);
  return std::make_unique<ResidualLayer<Scalar>>(std::move(inner), std::move(shortcut));
}

} // namespace

template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>> make_resnet_small(const DataSpec& data,
                                                        const ResnetSmallOptions& options,
                                                        const NetworkBasics& basics) {
  if (options.channels.empty() || options.blocks < 1)
    throw std::invalid_argument("resnet_small needs the channels of at least one stage, and at "
                                "least one block");
  LayerList<Scalar> layers;
  add_convolution<Scalar>(layers, options.channels.front(), 3, 1);
  layers.push_back(std::make_unique<ReluLayer<Scalar>>());
  for (std::size_t stage = 0; stage < options.channels.size(); ++stage)
    for (Index block = 0; block < options.blocks; ++block) {
      const auto widens = stage > 0 && block == 0;
      layers.push_back(residual_block<Scalar>(options.channels[stage], widens ? 2 : 1, widens));
      layers.push_back(std::make_unique<ReluLayer<Scalar>>());
    }
  layers.push_back(std::make_unique<GlobalPoolingLayer<Scalar>>());
  layers.push_back(std::make_unique<OutputLayer<Scalar>>(prediction_shape(data)));
  return std::make_unique<BasicNetwork<Scalar>>(std::move(layers), data, basics, "resnet_small");
}

template std::unique_ptr<BasicNetwork<float>>
make_resnet_small(const DataSpec&, const ResnetSmallOptions&, const NetworkBasics&);
template std::unique_ptr<BasicNetwork<double>>
make_resnet_small(const DataSpec&, const ResnetSmallOptions&, const NetworkBasics&);

namespace {

const RegisterModel resnet_small_kind{
  network_kind<ResnetSmallOptions>("resnet_small", make_resnet_small<float>)};

} // namespace

} // namespace troupe
