#include "model/data/problem_kind.hpp"

namespace troupe {

namespace {

Registry<ProblemKind>& registered_problems() {
  static Registry<ProblemKind> kinds; // there before any file registers its own
  return kinds;
}

} // namespace

const Registry<ProblemKind>& problem_kinds() { return registered_problems(); }

RegisterProblem::RegisterProblem(ProblemKind kind) { registered_problems().add(std::move(kind)); }

} // namespace troupe
