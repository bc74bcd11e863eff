#pragma once

#include "model/zoo/network.hpp"

namespace troupe {

struct LstmTaggerOptions {
  Index width = 32;   ///< of the embedding
  Index hidden = 64;  ///< of each lstm, in each direction
  Index layers = 1;   ///< bidirectional lstms, one on top of the other
  double dropout = 0; ///< behind each of them
  FIELDS(width, hidden, layers, dropout);
};

/// Predicts a class at each place of a sequence of tokens, [any, length], from all of it but its
/// padding:
///
///   embedding - ( lstm in both directions - dropout )* - linear
///
/// Huang, Xu & Yu, "Bidirectional LSTM-CRF models for sequence tagging", arXiv:1508.01991, section
/// 2.2.
/// @throws std::invalid_argument where options or data do not do.
template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>> make_lstm_tagger(const DataSpec& data,
                                                       const LstmTaggerOptions& options = {},
                                                       const NetworkBasics& basics = {});

} // namespace troupe
