#include "model/optimizers/adagrad.hpp"

#include "model/optimizers/checks.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/optimizers/settings.hpp"

namespace troupe {

namespace {

void check_adagrad(const AdaGradOptions& options) {
  check_not_negative("adagrad", "learning_rate", options.learning_rate);
  check_not_negative("adagrad", "epsilon", options.epsilon);
  check_not_negative("adagrad", "weight_decay", options.weight_decay);
}

} // namespace

AdaGrad::AdaGrad(AdaGradOptions options, Index size) : options_(options) {
  check_adagrad(options);
  slots_.push_back({"sum_of_squares", Block{size}});
}

std::optional<OptimizerRule> AdaGrad::rule() const {
  return OptimizerRule{.kind = UpdateKind::adagrad,
                       .learning_rate = options_.learning_rate,
                       .weight_decay = options_.weight_decay,
                       .epsilon = options_.epsilon};
}

std::map<std::string, double> AdaGrad::settings() const { return numbers_among(options_); }

void AdaGrad::set(const std::string& setting, double value) {
  check_setting(name(), settings(), setting);
  const auto changed = with_number(options_, setting, value);
  check_adagrad(changed);
  options_ = changed;
}

namespace {

const RegisterOptimizer adagrad_kind{optimizer_kind<AdaGrad, AdaGradOptions>("adagrad")};

} // namespace

} // namespace troupe
