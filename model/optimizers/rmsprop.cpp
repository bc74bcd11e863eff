#include "model/optimizers/rmsprop.hpp"

#include "model/optimizers/checks.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/optimizers/settings.hpp"
#include "model/tensor/split_write.hpp"

#include <cmath>

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

void RmsProp::move(const Stretch& stretch) {
  const auto alpha = static_cast<float>(options_.learning_rate * stretch.learning_rate);
  const auto rho = static_cast<float>(options_.decay),
             rest = static_cast<float>(1 - options_.decay);
  const auto epsilon = static_cast<float>(options_.epsilon);
  const auto lambda = static_cast<float>(options_.weight_decay * stretch.weight_decay);
  const auto* w = stretch.from.data(); // may alias x
  const auto* gradients = stretch.gradient.data();
  const auto* v = stretch.before(0);
  auto* next_v = stretch.after(0);
  write_split(stretch.to, stretch.fresh(), [=](Index begin, Index count, float* x) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
      const auto at = begin + i;
      const auto g = gradients[at] + lambda * w[at];
      const auto square = rho * v[at] + rest * g * g;
      next_v[at] = square;
      x[i] = w[at] - alpha * g / (std::sqrt(square) + epsilon);
    }
  });
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
