#pragma once

#include "model/zoo/network.hpp"

namespace troupe {

struct LstmTaggerOptions {
  Index width = 32;   ///< of the embedding
  Index hidden = 64;  ///< of each lstm, in each direction
  Index layers = 1;   ///< number of bidirectional lstms, stacked
  double dropout = 0; ///< after each of them
  TROUPE_FIELDS(width, hidden, layers, dropout);
};

/// Predicts a class at each position of a sequence of tokens, [any, length], from the whole
/// sequence without its padding:
///
///   embedding - ( lstm in both directions - dropout )* - linear
///
/// Huang, Xu & Yu, "Bidirectional LSTM-CRF models for sequence tagging", arXiv:1508.01991, section
/// 2.2.
/// @throws std::invalid_argument for invalid options or unsuitable data
template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>> make_lstm_tagger(const DataSpec& data,
                                                       const LstmTaggerOptions& options = {},
                                                       const NetworkBasics& basics = {});

} // namespace troupe
