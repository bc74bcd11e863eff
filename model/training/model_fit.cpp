#include "model/training/model_fit.hpp"

#include "base/text/text.hpp"
#include "model/training/compatibility.hpp"

#include <stdexcept>

namespace troupe {

void check_fit(const Problem& problem, const Model& model) {
  const auto mismatches = joined(mismatches_of(problem.spec(), model), "; ");
  if (!mismatches.empty())
    throw std::invalid_argument("problem '" + problem.name() + "' and model '" + model.name()
                                + "' do not fit: " + mismatches);
}

} // namespace troupe
