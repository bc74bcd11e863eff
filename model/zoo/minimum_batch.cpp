#include "model/zoo/minimum_batch.hpp"

#include "model/layers/batch_norm.hpp"
#include "model/layers/residual.hpp"
#include "model/zoo/network.hpp"

#include <algorithm>

namespace troupe {

namespace {

std::string normalizing_layer(const Chain<float>& chain) {
  for (const auto& link : chain.links()) {
    const auto one_place = std::all_of(link.input.begin() + 1, link.input.end() - 1,
                                       [](Index size) { return size == 1; });
    if (dynamic_cast<const BatchNormLayer<float>*>(&link.layer) != nullptr && one_place)
      return link.name;
    if (const auto* residual = dynamic_cast<const ResidualLayer<float>*>(&link.layer))
      for (const auto* part : {&residual->inner(), &residual->shortcut()})
        if (auto name = normalizing_layer(*part); !name.empty())
          return name;
  }
  return "";
}

} // namespace

std::string layer_needing_two_examples(const Model& model) {
  const auto* network = dynamic_cast<const Network*>(&model);
  return network == nullptr ? "" : normalizing_layer(network->chain());
}

} // namespace troupe
