// A plugin with components that are slow on purpose, each in one place, for tests/why/causes.py.
#include "base/plugin.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/data/images/digits.hpp"
#include "model/data/problem_kind.hpp"
#include "model/losses/loss_kind.hpp"
#include "model/losses/softmax_cross_entropy.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/optimizers/sgd.hpp"
#include "model/update_rules/update_rule_kind.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdlib>
#include <thread>

TROUPE_PLUGIN;

namespace {

using namespace troupe;

void sleep_ms(double milliseconds) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>{milliseconds});
}

void work_ms(double milliseconds) {
  const auto end
    = std::chrono::steady_clock::now() + std::chrono::duration<double, std::milli>{milliseconds};
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// The option of most components.
struct SlowOptions {
  double ms = 0; ///< for each call
  TROUPE_FIELDS(ms);
};

// -- reading, and what it is read for ------------------------------------------------------------

struct SlowDigitsOptions {
  Index train = 20000, validation = 4000, test = 4000;
  double ms = 0;            ///< for each batch to train on
  double validation_ms = 0; ///< for each batch to validate on
  TROUPE_FIELDS(train, validation, test, ms, validation_ms);
};

class SlowDigits final : public Digits {
public:
  explicit SlowDigits(const SlowDigitsOptions& options)
    : Digits({.train = options.train, .validation = options.validation, .test = options.test}),
      options_(options) {}

  void gather(Section section, std::span<const Index> rows, Batch& batch) const override {
    if (section != Section::test)
      sleep_ms(section == Section::train ? options_.ms : options_.validation_ms);
    Digits::gather(section, rows, batch);
  }

private:
  SlowDigitsOptions options_;
};

const RegisterProblem slow_digits_kind{problem_kind<SlowDigits, SlowDigitsOptions>("slow_digits")};

// -- the gradient and the update -------------------------------------------------------------------

/// Sleeps for as many microseconds for each number of the prediction as the environment says.
class SlowLoss final : public SoftmaxCrossEntropy<float> {
public:
  double loss_and_gradient(const Comparison<float>& comparison,
                           std::span<float> gradient) const override {
    const auto* microseconds = std::getenv("SLOW_LOSS_US");
    if (microseconds != nullptr)
      sleep_ms(1e-3 * std::atof(microseconds) * static_cast<double>(gradient.size()));
    return SoftmaxCrossEntropy<float>::loss_and_gradient(comparison, gradient);
  }
};

const RegisterLoss slow_loss_kind{
  {"slow_loss", [](const LossOptions&) { return std::make_shared<SlowLoss>(); }}};

struct SlowSgdOptions {
  double learning_rate = 0.01;
  double ms = 0;
  TROUPE_FIELDS(learning_rate, ms);
};

class SlowSgd final : public Sgd {
public:
  SlowSgd(const SlowSgdOptions& options, Index size)
    : Sgd({.learning_rate = options.learning_rate}, size),
      ms_(options.ms) {}

  std::optional<OptimizerRule> rule() const override { return {}; }

private:
  void move(const Stretch& stretch) override {
    if (stretch.begin == 0)
      sleep_ms(ms_);
    const auto rate = static_cast<float>(stretch.learning_rate * learning_rate());
    for (std::size_t i = 0; i < stretch.to.size(); ++i)
      stretch.to[i] = stretch.from[i] - rate * stretch.gradient[i];
  }

  double ms_;
};

const RegisterOptimizer slow_sgd_kind{optimizer_kind<SlowSgd, SlowSgdOptions>("slow_sgd")};

// -- extensions --------------------------------------------------------------------------------------

Extension::behavior_type slow_gate(Extension::pointer, double ms) {
  return {
    [](const LoopEvent&) {},
    [ms](const AskGate&) {
      sleep_ms(ms);
      return GateAnswer{};
    },
    [](const Drain&) { return Drained{}; },
    [](const SaveExtension&) { return SavedExtension{}; },
    restores_nothing,
  };
}

Extension::behavior_type busy_observer(Extension::pointer, double ms) {
  return {
    [ms](const LoopEvent&) { work_ms(ms); },
    [](const AskGate&) { return GateAnswer{}; },
    [](const Drain&) { return Drained{}; },
    [](const SaveExtension&) { return SavedExtension{}; },
    restores_nothing,
  };
}

const RegisterExtension slow_gate_kind{ExtensionOf<SlowOptions>{
  .name = "slow_gate",
  .gate = true,
  .workers = "all",
  .spawn
  = [](const SlowOptions& options,
       const ExtensionContext& context) { return context.system.spawn(slow_gate, options.ms); },
}};

const RegisterExtension busy_observer_kind{ExtensionOf<SlowOptions>{
  .name = "busy_observer",
  .spawn
  = [](const SlowOptions& options,
       const ExtensionContext& context) { return context.system.spawn(busy_observer, options.ms); },
}};

// -- the parameter holder ----------------------------------------------------------------------------

struct SlowAverageSettings {
  float ms = 0;
  TROUPE_FIELDS(ms);
};

/// The mean, after a sleep for each piece of the parameters.
class SlowAverage final : public UpdateFormula {
public:
  explicit SlowAverage(const SlowAverageSettings& settings) : ms_(settings.ms) {}

  void update(const RoundElements& round) const override {
    sleep_ms(static_cast<double>(ms_));
    for (std::size_t i = 0; i < round.after.size(); ++i) {
      auto sum = 0.0f;
      for (const auto* contribution : round.contributions)
        sum += contribution[i];
      round.after[i] = sum / static_cast<float>(round.contributions.size());
    }
  }

private:
  float ms_;
};

const RegisterUpdateRule slow_average_kind{
  update_rule_kind<SlowAverage, SlowAverageSettings>("slow_average")};

} // namespace
