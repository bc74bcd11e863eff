#pragma once

#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

/// One stage of a model, for display.
struct StageSummary {
  std::string name; ///< "linear0"
  Shape output;     ///< [any, ...]
  Index begin = 0;  ///< offset of its first parameter in the model's block
  Index end = 0;    ///< offset after its last parameter
};

} // namespace troupe
