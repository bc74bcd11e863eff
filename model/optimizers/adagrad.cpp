#include "model/optimizers/adagrad.hpp"

#include "model/optimizers/checks.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/optimizers/settings.hpp"
#include "model/tensor/split_write.hpp"

#include <cmath>

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

void AdaGrad::move(const Stretch& stretch) {
  const auto alpha = static_cast<float>(options_.learning_rate * stretch.learning_rate);
  const auto epsilon = static_cast<float>(options_.epsilon);
  const auto lambda = static_cast<float>(options_.weight_decay * stretch.weight_decay);
  const auto* w = stretch.from.data(); // may alias x
  const auto* gradients = stretch.gradient.data();
  const auto* s = stretch.before(0);
  auto* next_s = stretch.after(0);
  write_split(stretch.to, stretch.fresh(), [=](Index begin, Index count, float* x) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
      const auto at = begin + i;
      const auto g = gradients[at] + lambda * w[at];
      const auto sum = s[at] + g * g;
      next_s[at] = sum;
      x[i] = w[at] - alpha * g / (std::sqrt(sum) + epsilon);
    }
  });
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
