#include "model/optimizers/sgd.hpp"

#include "model/optimizers/checks.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/optimizers/settings.hpp"
#include "model/tensor/split_write.hpp"

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

void Sgd::move(const Stretch& stretch) {
  const auto alpha = static_cast<float>(options_.learning_rate * stretch.learning_rate);
  const auto mu = static_cast<float>(options_.momentum);
  const auto lambda = static_cast<float>(options_.weight_decay * stretch.weight_decay);
  const auto fresh = stretch.fresh();
  const auto* w = stretch.from.data();
  const auto* gradients = stretch.gradient.data();
  if (slots_.empty())
    return write_split(stretch.to, fresh, [=](Index begin, Index count, float* x) {
#pragma GCC ivdep
      for (Index i = 0; i < count; ++i) {
        const auto at = begin + i;
        x[i] = w[at] - alpha * (gradients[at] + lambda * w[at]);
      }
    });
  const auto* m = stretch.before(0);
  auto* next_m = stretch.after(0);
  if (options_.nesterov)
    return write_split(stretch.to, fresh, [=](Index begin, Index count, float* x) {
#pragma GCC ivdep
      for (Index i = 0; i < count; ++i) {
        const auto at = begin + i;
        const auto g = gradients[at] + lambda * w[at];
        const auto sum = mu * m[at] + g;
        next_m[at] = sum;
        x[i] = w[at] - alpha * (g + mu * sum);
      }
    });
  write_split(stretch.to, fresh, [=](Index begin, Index count, float* x) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
      const auto at = begin + i;
      const auto step = mu * m[at] + (gradients[at] + lambda * w[at]);
      next_m[at] = step;
      x[i] = w[at] - alpha * step;
    }
  });
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
