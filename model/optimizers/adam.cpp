#include "model/optimizers/adam.hpp"

#include "model/optimizers/checks.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/optimizers/settings.hpp"
#include "model/tensor/split_write.hpp"

#include <cmath>

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

void Adam::move(const Stretch& stretch) {
  const auto t = static_cast<double>(steps_);
  const auto& o = options_;
  const auto beta1 = static_cast<float>(o.beta1), rest1 = static_cast<float>(1 - o.beta1);
  const auto beta2 = static_cast<float>(o.beta2), rest2 = static_cast<float>(1 - o.beta2);
  // Both corrections, moved out of the loop: alpha m^ = alpha1 m, sqrt(v^) = sqrt(v) root2.
  const auto alpha = o.learning_rate * stretch.learning_rate;
  const auto alpha1 = static_cast<float>(alpha / (1 - std::pow(o.beta1, t)));
  const auto root2 = static_cast<float>(1 / std::sqrt(1 - std::pow(o.beta2, t)));
  const auto epsilon = static_cast<float>(o.epsilon);
  const auto decay = o.weight_decay * stretch.weight_decay;
  const auto lambda = static_cast<float>(decoupled_ ? 0 : decay);
  const auto keep = static_cast<float>(decoupled_ ? 1 - alpha * decay : 1);
  const auto* w = stretch.from.data(); // may alias x
  const auto* gradients = stretch.gradient.data();
  const auto *m = stretch.before(0), *v = stretch.before(1);
  auto *next_m = stretch.after(0), *next_v = stretch.after(1);
  write_split(stretch.to, stretch.fresh(), [=](Index begin, Index count, float* x) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
      const auto at = begin + i;
      const auto g = gradients[at] + lambda * w[at];
      const auto mean = beta1 * m[at] + rest1 * g;
      const auto variance = beta2 * v[at] + rest2 * g * g;
      next_m[at] = mean;
      next_v[at] = variance;
      x[i] = keep * w[at] - alpha1 * mean / (std::sqrt(variance) * root2 + epsilon);
    }
  });
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
