#include "model/zoo/gpt_mini.hpp"

#include "model/layers/attention/position_embedding.hpp"
#include "model/layers/attention/transformer_block.hpp"
#include "model/layers/dropout.hpp"
#include "model/layers/embedding.hpp"
#include "model/layers/layer_norm.hpp"
#include "model/layers/output.hpp"
#include "model/zoo/network_kind.hpp"

namespace troupe {

namespace {

constexpr double first_deviation = 0.02; ///< of the initial embeddings, as in GPT-2

} // namespace

template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>>
make_gpt_mini(const DataSpec& data, const GptMiniOptions& options, const NetworkBasics& basics) {
  typename BasicNetwork<Scalar>::Layers layers;
  const auto drop = [&] {
    if (options.dropout > 0)
      layers.push_back(std::make_unique<DropoutLayer<Scalar>>(DropoutOptions{options.dropout}));
  };
  layers.push_back(std::make_unique<EmbeddingLayer<Scalar>>(vocabulary_of(data, basics.input),
                                                            options.width, first_deviation));
  layers.push_back(std::make_unique<PositionEmbeddingLayer<Scalar>>(first_deviation));
  drop();
  for (Index i = 0; i < options.blocks; ++i) {
    layers.push_back(
      std::make_unique<TransformerBlock<Scalar>>(TransformerOptions{.heads = options.heads}));
    drop();
  }
  layers.push_back(std::make_unique<LayerNormLayer<Scalar>>());
  layers.push_back(std::make_unique<OutputLayer<Scalar>>(prediction_shape(data)));
  auto with_shares = basics;
  if (options.tied)
    with_shares.share.emplace("linear0.weight", "embedding0.weight^T");
  return std::make_unique<BasicNetwork<Scalar>>(std::move(layers), data, with_shares, "gpt_mini");
}

template std::unique_ptr<BasicNetwork<float>> make_gpt_mini(const DataSpec&, const GptMiniOptions&,
                                                            const NetworkBasics&);
template std::unique_ptr<BasicNetwork<double>> make_gpt_mini(const DataSpec&, const GptMiniOptions&,
                                                             const NetworkBasics&);

namespace {

const RegisterModel gpt_mini_kind{network_kind<GptMiniOptions>("gpt_mini", make_gpt_mini<float>)};

} // namespace

} // namespace troupe
