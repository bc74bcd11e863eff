#pragma once

#include "model/tensor/block.hpp"
#include "model/tensor/layout.hpp"

#include <map>
#include <string>

namespace troupe {

/// The parameters of a model in the form that other programs use: named arrays.
struct NamedParameters {
  Layout layout;                               ///< names and shapes, in the order of the file
  Block values;                                ///< layout.size() numbers
  std::map<std::string, std::string> metadata; ///< key-value pairs in the file
};

} // namespace troupe
