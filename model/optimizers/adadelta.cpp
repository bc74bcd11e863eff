#include "model/optimizers/adadelta.hpp"

#include "model/optimizers/checks.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/optimizers/settings.hpp"
#include "model/tensor/split_write.hpp"

#include <cmath>

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

void AdaDelta::move(const Stretch& stretch) {
  const auto alpha = static_cast<float>(options_.learning_rate * stretch.learning_rate);
  const auto rho = static_cast<float>(options_.decay),
             rest = static_cast<float>(1 - options_.decay);
  const auto epsilon = static_cast<float>(options_.epsilon);
  const auto lambda = static_cast<float>(options_.weight_decay * stretch.weight_decay);
  const auto* w = stretch.from.data(); // may alias x
  const auto* gradients = stretch.gradient.data();
  const auto *v = stretch.before(0), *u = stretch.before(1);
  auto *next_v = stretch.after(0), *next_u = stretch.after(1);
  write_split(stretch.to, stretch.fresh(), [=](Index begin, Index count, float* x) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
      const auto at = begin + i;
      const auto g = gradients[at] + lambda * w[at];
      const auto square = rho * v[at] + rest * g * g;
      const auto d = g * std::sqrt(u[at] + epsilon) / std::sqrt(square + epsilon);
      next_v[at] = square;
      next_u[at] = rho * u[at] + rest * d * d;
      x[i] = w[at] - alpha * d;
    }
  });
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
