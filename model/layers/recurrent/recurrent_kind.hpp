// Registering a recurrent layer: the options that all of them have.
#pragma once

#include "model/layers/layer_kind.hpp"
#include "model/layers/recurrent/bidirectional.hpp"

#include <string>
#include <utility>

namespace troupe {

struct RecurrentLayerOptions {
  Index hidden = 128;         ///< numbers of the state, in each direction
  bool last = false;          ///< as RecurrentOptions
  bool reverse = false;       ///< as RecurrentOptions
  bool bidirectional = false; ///< one in each direction, side by side
  bool carry = false;         ///< the state goes on from batch to batch; see DataSpec::streams
  std::string initializer = "torch"; ///< of the weights, see initializers.hpp
  TROUPE_FIELDS(hidden, last, reverse, bidirectional, carry, initializer);
};

template <class Made>
LayerKind recurrent_kind(std::string name) {
  return {std::move(name),
          [](const config::Node& given, const std::string& path,
             const LayerData& data) -> std::unique_ptr<Layer<float>> {
            const auto o = layer_options<RecurrentLayerOptions>(given, path, "hidden");
            const RecurrentOptions options{o.last, o.reverse, o.initializer,
                                           o.carry ? data.streams() : 0};
            if (o.bidirectional)
              return std::make_unique<BidirectionalLayer<Made>>(o.hidden, options);
            return std::make_unique<Made>(o.hidden, options);
          },
          [] { return config::encode(RecurrentLayerOptions{}); }};
}

} // namespace troupe
