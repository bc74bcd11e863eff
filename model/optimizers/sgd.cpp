#include "model/optimizers/sgd.hpp"

#include "model/optimizers/checks.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/optimizers/settings.hpp"

#include <stdexcept>

namespace troupe {

namespace {

void check_sgd(const SgdOptions& options) {
  check_not_negative("sgd", "learning_rate", options.learning_rate);
  check_below_one("sgd", "momentum", options.momentum);
  check_not_negative("sgd", "weight_decay", options.weight_decay);
  if (options.nesterov && options.momentum == 0)
    throw std::invalid_argument("nesterov of sgd needs a momentum greater than 0");
}

} // namespace

Sgd::Sgd(SgdOptions options, Index size) : options_(options) {
  check_sgd(options);
  if (options.momentum > 0)
    slots_.push_back({"momentum", Block{size}});
}

std::optional<OptimizerRule> Sgd::rule() const {
  const auto kind = slots_.empty()      ? UpdateKind::sgd
                    : options_.nesterov ? UpdateKind::nesterov
                                        : UpdateKind::momentum;
  return OptimizerRule{.kind = kind,
                       .learning_rate = options_.learning_rate,
                       .weight_decay = options_.weight_decay,
                       .decay1 = options_.momentum};
}

std::map<std::string, double> Sgd::settings() const {
  auto settings = numbers_among(options_);
  if (slots_.empty()) // momentum needs the running sum
    settings.erase("momentum");
  return settings;
}

void Sgd::set(const std::string& setting, double value) {
  check_setting(name(), settings(), setting);
  const auto changed = with_number(options_, setting, value);
  check_sgd(changed);
  options_ = changed;
}

namespace {

const RegisterOptimizer sgd_kind{optimizer_kind<Sgd, SgdOptions>("sgd")};
const RegisterOptimizer momentum_kind{
  optimizer_kind<Sgd, SgdOptions>("momentum", {.momentum = 0.9})};
const RegisterOptimizer nesterov_kind{
  optimizer_kind<Sgd, SgdOptions>("nesterov", {.momentum = 0.9, .nesterov = true})};

} // namespace

} // namespace troupe
