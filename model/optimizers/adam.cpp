#include "model/optimizers/adam.hpp"

#include "model/optimizers/checks.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/optimizers/settings.hpp"

namespace troupe {

namespace {

void check_adam(const std::string& name, const AdamOptions& options) {
  check_not_negative(name, "learning_rate", options.learning_rate);
  check_below_one(name, "beta1", options.beta1);
  check_below_one(name, "beta2", options.beta2);
  check_not_negative(name, "epsilon", options.epsilon);
  check_not_negative(name, "weight_decay", options.weight_decay);
}

} // namespace

Adam::Adam(AdamOptions options, bool decoupled, Index size)
  : options_(options),
    decoupled_(decoupled) {
  check_adam(name(), options);
  slots_.push_back({"mean", Block{size}});
  slots_.push_back({"variance", Block{size}});
}

Adam::Adam(AdamOptions options, Index size) : Adam(options, false, size) {}

Adam::Adam(AdamWOptions options, Index size)
  : Adam(AdamOptions{options.learning_rate, options.beta1, options.beta2, options.epsilon,
                     options.weight_decay},
         true, size) {}

std::optional<OptimizerRule> Adam::rule() const {
  return OptimizerRule{.kind = UpdateKind::adam,
                       .decoupled = decoupled_,
                       .learning_rate = options_.learning_rate,
                       .weight_decay = options_.weight_decay,
                       .decay1 = options_.beta1,
                       .decay2 = options_.beta2,
                       .epsilon = options_.epsilon};
}

std::map<std::string, double> Adam::settings() const { return numbers_among(options_); }

void Adam::set(const std::string& setting, double value) {
  check_setting(name(), settings(), setting);
  const auto changed = with_number(options_, setting, value);
  check_adam(name(), changed);
  options_ = changed;
}

namespace {

const RegisterOptimizer adam_kind{optimizer_kind<Adam, AdamOptions>("adam")};
const RegisterOptimizer adamw_kind{optimizer_kind<Adam, AdamWOptions>("adamw")};

} // namespace

} // namespace troupe
