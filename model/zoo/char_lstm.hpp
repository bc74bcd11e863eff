#pragma once

#include "model/zoo/network.hpp"

namespace troupe {

struct CharLstmOptions {
  Index width = 64;   ///< of the embedding
  Index hidden = 256; ///< number of lstms, stacked
  Index layers = 1;   ///< after each lstm
  double dropout = 0; ///< states continue from batch to batch; see DataSpec::streams
  bool carry = false; ///< states continue from batch to batch; see DataSpec::streams
  TROUPE_FIELDS(width, hidden, layers, dropout, carry);
};

/// Predicts a class at each position of a sequence of tokens, [any, length], from the tokens to its
/// left:
///
///   embedding - ( lstm - dropout )* - linear
///
/// For the next character: Graves, "Generating sequences with recurrent neural networks", 2013.
/// @throws std::invalid_argument for invalid options or unsuitable data
template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>> make_char_lstm(const DataSpec& data,
                                                     const CharLstmOptions& options = {},
                                                     const NetworkBasics& basics = {});

} // namespace troupe
