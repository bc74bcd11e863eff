#pragma once

#include "model/zoo/network.hpp"

namespace troupe {

struct GptMiniOptions {
  Index width = 128;  ///< of the vector at each position
  Index heads = 4;    ///< a divisor of the width
  Index blocks = 4;   ///< transformer blocks
  double dropout = 0; ///< after the embeddings and each block
  bool tied = false;  ///< the last layer shares its weight with the embedding, as in GPT-2
  TROUPE_FIELDS(width, heads, blocks, dropout, tied);
};

/// Predicts a class at each position of a sequence of tokens, [any, length], from the tokens to its
/// left:
///
///   embedding + position - ( transformer block )* - layer norm - linear
///
/// A small GPT-2: Radford et al., "Language models are unsupervised multitask learners", 2019.
/// @throws std::invalid_argument for invalid options or unsuitable data
template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>> make_gpt_mini(const DataSpec& data,
                                                    const GptMiniOptions& options = {},
                                                    const NetworkBasics& basics = {});

} // namespace troupe
