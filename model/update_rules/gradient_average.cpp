// gradient_average: workers send their gradients with their parameters, take the means of both, and
// each makes its update with the mean gradient: synchronous SGD with large batches. Chen et al.,
// "Revisiting distributed synchronous SGD", 2016. Before each update, in rounds, so that with any
// optimizer n workers with batches of b act as one worker with batches of n b.
//
// `average` after every batch, in rounds, is the same for SGD, momentum and Nesterov, whose steps
// are linear in the gradient; with Adam and similar optimizers it is local SGD with one step.
#include "model/update_rules/update_rule_kind.hpp"

namespace troupe {

namespace {

class GradientAverage final : public UpdateFormula {
public:
  explicit GradientAverage(const NoSettings&) {}
  std::optional<RuleFactors> factors(float count) const override {
    return RuleFactors{0, 1 / count};
  }
};

const RegisterUpdateRule gradient_average_kind{update_rule_kind<GradientAverage>(
  "gradient_average", {.sends = Contribution::parameters_and_gradient})};

} // namespace

} // namespace troupe
