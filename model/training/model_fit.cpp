#include "model/training/model_fit.hpp"

#include "base/text/text.hpp"
#include "model/training/compatibility.hpp"

#include <stdexcept>

namespace troupe {

namespace {

/// Without the batch in front, each example would be a whole batch.
void check_batch_in_front(const std::vector<FieldSpec>& fields, const std::string& whose) {
  for (const auto& field : fields)
    if (field.shape.empty() || field.shape.front() != any_size)
      throw std::invalid_argument(whose + " '" + field.name + "' has the shape "
                                  + to_string(field.shape)
                                  + " without the batch; put any_size in front");
}

} // namespace

void check_fit(const Problem& problem, const Model& model) {
  check_batch_in_front(problem.spec().inputs, "input");
  check_batch_in_front(problem.spec().targets, "target");
  const auto mismatches = joined(mismatches_of(problem.spec(), model), "; ");
  if (!mismatches.empty())
    throw std::invalid_argument("problem '" + problem.name() + "' and model '" + model.name()
                                + "' do not fit: " + mismatches);
}

} // namespace troupe
