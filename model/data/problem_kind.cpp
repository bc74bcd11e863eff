#include "model/data/problem_kind.hpp"

namespace troupe {

template <>
Registry<ProblemKind>& registry_of() {
  static Registry<ProblemKind> kinds; // there before any file registers its own
  return kinds;
}

} // namespace troupe
