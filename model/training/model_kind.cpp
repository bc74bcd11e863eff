#include "model/training/model_kind.hpp"

namespace troupe {

template <>
Registry<ModelKind>& registry_of() {
  static Registry<ModelKind> kinds; // there before any file registers its own
  return kinds;
}

} // namespace troupe
