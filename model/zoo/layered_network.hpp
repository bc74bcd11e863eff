// The model "network", whose layers a configuration lists.
#pragma once

#include "model/layers/layer_kind.hpp"
#include "model/zoo/network.hpp"

#include <string>

namespace troupe {

/// What layers may ask of a problem's data, which has to live as long.
LayerData layer_data(const DataSpec& data);

/// Makes the layers of a list for such data, as `make_layers` in model/layers/layer_kind.hpp does.
Chain<float>::Layers make_layers(const config::Node& list, const std::string& path,
                                 const DataSpec& data);

} // namespace troupe
