#pragma once

#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

/// One stage of a model, for people.
struct StageSummary {
  std::string name; ///< "linear0"
  Shape output;     ///< [any, ...]
  Index begin = 0;  ///< offset of the first of its parameters in the model's block
  Index end = 0;    ///< offset behind the last
};

} // namespace troupe
