#include "model/training/model_fit.hpp"

#include "model/training/handshake.hpp"

#include <stdexcept>

namespace troupe {

void check_fit(const Problem& problem, const Model& model) {
  std::string misfits;
  for (const auto& sentence : handshake(problem.spec(), model))
    misfits += (misfits.empty() ? "" : "; ") + sentence;
  if (!misfits.empty())
    throw std::invalid_argument("problem '" + problem.name() + "' and model '" + model.name()
                                + "' do not fit: " + misfits);
}

} // namespace troupe
