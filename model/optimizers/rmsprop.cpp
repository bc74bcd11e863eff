#include "model/optimizers/rmsprop.hpp"

#include "model/optimizers/checks.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/optimizers/settings.hpp"

namespace troupe {

namespace {

void check_rmsprop(const RmsPropOptions& options) {
  check_not_negative("rmsprop", "learning_rate", options.learning_rate);
  check_below_one("rmsprop", "decay", options.decay);
  check_not_negative("rmsprop", "epsilon", options.epsilon);
  check_not_negative("rmsprop", "weight_decay", options.weight_decay);
}

} // namespace

RmsProp::RmsProp(RmsPropOptions options, Index size) : options_(options) {
  check_rmsprop(options);
  slots_.push_back({"mean_square", Block{size}});
}

std::optional<OptimizerRule> RmsProp::rule() const {
  return OptimizerRule{.kind = UpdateKind::rmsprop,
                       .learning_rate = options_.learning_rate,
                       .weight_decay = options_.weight_decay,
                       .decay1 = options_.decay,
                       .epsilon = options_.epsilon};
}

std::map<std::string, double> RmsProp::settings() const { return numbers_among(options_); }

void RmsProp::set(const std::string& setting, double value) {
  check_setting(name(), settings(), setting);
  const auto changed = with_number(options_, setting, value);
  check_rmsprop(changed);
  options_ = changed;
}

namespace {

const RegisterOptimizer rmsprop_kind{optimizer_kind<RmsProp, RmsPropOptions>("rmsprop")};

} // namespace

} // namespace troupe
