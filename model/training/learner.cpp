#include "model/training/learner.hpp"

#include "model/training/model_fit.hpp"

#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

template <class Pointer>
Pointer given(Pointer part, const std::string& what) {
  if (!part)
    throw std::invalid_argument(
      "a learner was given no " + what
      + " (a null pointer); it needs a problem, a model and an optimizer");
  return part;
}

/// A step reads and writes its slots up to the number of parameters.
void check_slots(const Optimizer& optimizer, const Model& model) {
  const auto size = model.layout().size();
  for (const auto& slot : optimizer.slots())
    if (slot.values.size() != size)
      throw std::invalid_argument("optimizer '" + optimizer.name() + "' was made for "
                                  + std::to_string(slot.values.size()) + " parameters; model '"
                                  + model.name() + "' has " + std::to_string(size)
                                  + ": make it with the size of the model's layout");
}

} // namespace

Learner::Learner(std::shared_ptr<const Problem> problem, std::unique_ptr<Model> model,
                 std::unique_ptr<Optimizer> optimizer, BatchOrder order, LearnerOptions options)
  : reader_(given(std::move(problem), "problem"), std::move(order)),
    model_(given(std::move(model), "model")),
    optimizer_(given(std::move(optimizer), "optimizer")),
    options_(std::move(options)) {
  check_fit(this->problem(), *model_);
  check_slots(*optimizer_, *model_);
  optimizer_->scale(scaled_stretches(layout(), options_.scales));
}

void Learner::initialize(RandomKey key) {
  auto block = Block{layout().size()};
  model_->initialize(block.edit(), key);
  set_parameters(std::move(block));
}

void Learner::check_size(const std::string& what, Index elements) const {
  if (elements != layout().size())
    throw std::invalid_argument("a " + what + " of " + std::to_string(elements)
                                + " elements for model '" + model_->name() + "', which has "
                                + std::to_string(layout().size()) + " parameters");
}

void Learner::refuse_not_finite(Step cursor, double loss, Index examples, Index first_row) const {
  throw std::runtime_error("the loss or its gradient of batch " + std::to_string(cursor + 1)
                           + " (epoch " + std::to_string(order().epoch(cursor) + 1) + ", "
                           + std::to_string(examples) + " examples, first row "
                           + std::to_string(first_row) + ") is not finite (loss "
                           + std::to_string(std::isnan(loss) ? std::fabs(loss) : loss) // "nan"
                           + "); lower the learning rate, clip the gradient or look at that row");
}

} // namespace troupe
