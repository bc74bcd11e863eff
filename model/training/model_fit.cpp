#include "model/training/model_fit.hpp"

#include "model/training/compatibility.hpp"

#include <stdexcept>

namespace troupe {

void check_fit(const Problem& problem, const Model& model) {
  std::string mismatches;
  for (const auto& sentence : mismatches_of(problem.spec(), model))
    mismatches += (mismatches.empty() ? "" : "; ") + sentence;
  if (!mismatches.empty())
    throw std::invalid_argument("problem '" + problem.name() + "' and model '" + model.name()
                                + "' do not fit: " + mismatches);
}

} // namespace troupe
