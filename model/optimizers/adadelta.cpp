#include "model/optimizers/adadelta.hpp"

#include "model/optimizers/checks.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/optimizers/settings.hpp"

namespace troupe {

namespace {

void check_adadelta(const AdaDeltaOptions& options) {
  check_not_negative("adadelta", "learning_rate", options.learning_rate);
  check_below_one("adadelta", "decay", options.decay);
  check_not_negative("adadelta", "epsilon", options.epsilon);
  check_not_negative("adadelta", "weight_decay", options.weight_decay);
}

} // namespace

AdaDelta::AdaDelta(AdaDeltaOptions options, Index size) : options_(options) {
  check_adadelta(options);
  slots_.push_back({"mean_square", Block{size}});
  slots_.push_back({"mean_square_step", Block{size}});
}

std::optional<OptimizerRule> AdaDelta::rule() const {
  return OptimizerRule{.kind = UpdateKind::adadelta,
                       .learning_rate = options_.learning_rate,
                       .weight_decay = options_.weight_decay,
                       .decay1 = options_.decay,
                       .epsilon = options_.epsilon};
}

std::map<std::string, double> AdaDelta::settings() const { return numbers_among(options_); }

void AdaDelta::set(const std::string& setting, double value) {
  check_setting(name(), settings(), setting);
  const auto changed = with_number(options_, setting, value);
  check_adadelta(changed);
  options_ = changed;
}

namespace {

const RegisterOptimizer adadelta_kind{optimizer_kind<AdaDelta, AdaDeltaOptions>("adadelta")};

} // namespace

} // namespace troupe
