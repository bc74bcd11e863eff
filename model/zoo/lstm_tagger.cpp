#include "model/zoo/lstm_tagger.hpp"

#include "model/layers/dropout.hpp"
#include "model/layers/embedding.hpp"
#include "model/layers/output.hpp"
#include "model/layers/recurrent/bidirectional.hpp"
#include "model/layers/recurrent/lstm.hpp"
#include "model/zoo/network_kind.hpp"

namespace troupe {

template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>> make_lstm_tagger(const DataSpec& data,
                                                       const LstmTaggerOptions& options,
                                                       const NetworkBasics& basics) {
  typename BasicNetwork<Scalar>::Layers layers;
  layers.push_back(
    std::make_unique<EmbeddingLayer<Scalar>>(vocabulary_of(data, basics.input), options.width));
  for (Index i = 0; i < options.layers; ++i) {
    layers.push_back(
      std::make_unique<BidirectionalLayer<LstmLayer<Scalar>>>(options.hidden, RecurrentOptions{}));
    if (options.dropout > 0)
      layers.push_back(std::make_unique<DropoutLayer<Scalar>>(DropoutOptions{options.dropout}));
  }
  layers.push_back(std::make_unique<OutputLayer<Scalar>>(prediction_shape(data)));
  return std::make_unique<BasicNetwork<Scalar>>(std::move(layers), data, basics, "lstm_tagger");
}

template std::unique_ptr<BasicNetwork<float>>
make_lstm_tagger(const DataSpec&, const LstmTaggerOptions&, const NetworkBasics&);
template std::unique_ptr<BasicNetwork<double>>
make_lstm_tagger(const DataSpec&, const LstmTaggerOptions&, const NetworkBasics&);

namespace {

const RegisterModel lstm_tagger_kind{
  network_kind<LstmTaggerOptions>("lstm_tagger", make_lstm_tagger<float>)};

} // namespace

} // namespace troupe
