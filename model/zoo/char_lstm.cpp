#include "model/zoo/char_lstm.hpp"

#include "model/data/streams.hpp"
#include "model/layers/dropout.hpp"
#include "model/layers/embedding.hpp"
#include "model/layers/output.hpp"
#include "model/layers/recurrent/lstm.hpp"
#include "model/zoo/network_kind.hpp"

namespace troupe {

template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>>
make_char_lstm(const DataSpec& data, const CharLstmOptions& options, const NetworkBasics& basics) {
  const RecurrentOptions recurrent{.carry = options.carry ? streams_of(data) : 0};
  typename BasicNetwork<Scalar>::Layers layers;
  layers.push_back(
    std::make_unique<EmbeddingLayer<Scalar>>(vocabulary_of(data, basics.input), options.width));
  for (Index i = 0; i < options.layers; ++i) {
    layers.push_back(std::make_unique<LstmLayer<Scalar>>(options.hidden, recurrent));
    if (options.dropout > 0)
      layers.push_back(std::make_unique<DropoutLayer<Scalar>>(DropoutOptions{options.dropout}));
  }
  layers.push_back(std::make_unique<OutputLayer<Scalar>>(prediction_shape(data)));
  return std::make_unique<BasicNetwork<Scalar>>(std::move(layers), data, basics, "char_lstm");
}

template std::unique_ptr<BasicNetwork<float>>
make_char_lstm(const DataSpec&, const CharLstmOptions&, const NetworkBasics&);
template std::unique_ptr<BasicNetwork<double>>
make_char_lstm(const DataSpec&, const CharLstmOptions&, const NetworkBasics&);

namespace {

const RegisterModel char_lstm_kind{
  network_kind<CharLstmOptions>("char_lstm", make_char_lstm<float>)};

} // namespace

} // namespace troupe
