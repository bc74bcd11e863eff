#pragma once

#include "model/tensor/block.hpp"
#include "model/tensor/layout.hpp"

#include <map>
#include <string>

namespace troupe {

/// The parameters of a model as other programs know them: arrays by name.
struct NamedParameters {
  Layout layout;                               ///< names and shapes, in the order of the file
  Block values;                                ///< layout.size() numbers
  std::map<std::string, std::string> metadata; ///< what the file says of itself
};

} // namespace troupe
