// The layers that a configuration can name.
//
//   layers: [{conv2d: {channels: 6, kernel: 5}}, relu, {max_pooling: 2}, flatten, {linear: 120}]
//
// An entry is a kind, or a map from a kind to its options; a single value sets the main option.
#pragma once

#include "base/config/node.hpp"
#include "base/exit_codes.hpp"
#include "model/zoo/network.hpp"

#include <string>
#include <vector>

namespace troupe {

/// Makes the layers of a list.
/// @param path of the list, for error messages, e.g. "model.layers"
/// @param data for the kind "output", which takes its width from the target
/// @throws ConfigError that names the entry, for an unknown kind (with the nearest known one) or
/// invalid options.
Chain<float>::Layers make_layers(const config::Node& list, const std::string& path,
                                 const DataSpec& data);

std::vector<std::string> layer_kind_names(); ///< for help

} // namespace troupe
