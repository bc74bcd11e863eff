// Each network of the zoo, small.
#pragma once

#include "model/zoo/char_lstm.hpp"
#include "model/zoo/gpt_mini.hpp"
#include "model/zoo/lenet.hpp"
#include "model/zoo/resnet_small.hpp"
#include "tests/support/random_problem.hpp"

namespace troupe::test {

inline std::vector<std::string> zoo_names() {
  return {"mlp", "linear", "lenet", "resnet_small", "char_lstm", "gpt_mini"};
}

/// The data for which the network is made.
inline DataSpec data_for(const std::string& name) {
  return name == "char_lstm" || name == "gpt_mini" ? random_characters() : random_images();
}

/// @param dropout of the networks of sequences
inline std::unique_ptr<Model> small_network(const std::string& name, double dropout = 0) {
  const auto data = data_for(name);
  if (name == "lenet")
    return make_lenet<float>(data);
  if (name == "resnet_small")
    return make_resnet_small<float>(data, {.channels = {4, 8}});
  if (name == "char_lstm")
    return make_char_lstm<float>(data, {.width = 8, .hidden = 16, .dropout = dropout});
  if (name == "gpt_mini")
    return make_gpt_mini<float>(data, {.width = 16, .heads = 2, .blocks = 2, .dropout = dropout});
  NetworkOptions options;
  options.hidden = name == "mlp" ? std::vector<Index>{32, 16} : std::vector<Index>{};
  return std::make_unique<Network>(data, options);
}

} // namespace troupe::test
