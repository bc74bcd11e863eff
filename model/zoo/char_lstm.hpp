#pragma once

#include "model/zoo/network.hpp"

namespace troupe {

struct CharLstmOptions {
  Index width = 64;   ///< of the embedding
  Index hidden = 256; ///< of each lstm
  Index layers = 1;   ///< lstms, one on top of the other
  double dropout = 0; ///< behind each lstm
  bool carry = false; ///< states go on from batch to batch; see DataSpec::streams
  FIELDS(width, hidden, layers, dropout, carry);
};

/// Predicts a class at each place of a sequence of tokens, [any, length], from those to its left:
///
///   embedding - ( lstm - dropout )* - linear
///
/// Of the next character: Graves, "Generating sequences with recurrent neural networks", 2013.
/// @throws std::invalid_argument where options or data do not do.
template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>> make_char_lstm(const DataSpec& data,
                                                     const CharLstmOptions& options = {},
                                                     const NetworkBasics& basics = {});

} // namespace troupe
