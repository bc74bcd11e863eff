// Limits on syncs per second and on the change since the last sync, alone and together.
#include "actors/parameters/parameter_holder.hpp"
#include "extensions/sync/shared_params_rate_limited.hpp"
#include "tests/support/extension_doubles.hpp"
#include "tests/support/extension_stage.hpp"

#include <cmath>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A worker whose steps take 0.1 s, and its parameter before and after each check of the limits.
struct ComposedStage : Stage {
  explicit ComposedStage(SharedParamsRateLimitedOptions options) : Stage({.step_duration = 0.1}) {
    options.sync.timing_log = true;
    const auto holder = world.keep(spawn_parameter_holder(world.system));
    const auto sync = world.keep(
      spawn_shared_params_rate_limited(world.system, options, holder, ToyModel{}.layout(), {}));
    watch("before", before);
    gate("sync", shared_params_rate_limited_conditions(), sync, Shows::parameters);
    watch("behind", behind);
  }

  /// The batches after which it synced.
  std::vector<Step> synced(Step last) {
    finish_after(last);
    run();
    std::vector<Step> batches;
    for (Step batch = 0; batch <= last; ++batch)
      if (row(batch).count("param_sync_duration") > 0)
        batches.push_back(batch);
    return batches;
  }

  using Values = std::shared_ptr<std::vector<double>>;
  Values before = std::make_shared<std::vector<double>>();
  Values behind = std::make_shared<std::vector<double>>(); ///< [0]: after it has joined

private:
  void watch(const std::string& name, const Values& values) {
    const auto note = [=](const LoopEvent& event) {
      values->push_back(event.parameters.values.view()[0]);
      return GateAnswer{};
    };
    gate(name,
         Conditions{}
           .set_trigger("before_training", true)
           .set_trigger("every_n_batches", Value{std::int64_t{1}}),
         recording_gate(world, new_trace(), "", note), Shows::parameters);
  }
};

/// An independent model of the token limit, in thousandths of a token.
std::vector<Step> allowed(const SharedParamsRateLimitedOptions& options, const ComposedStage& stage,
                          Step last) {
  const auto full = std::lround(1000 * options.tokens.burst);
  const auto come_in = std::lround(100 * options.tokens.per_second); // in 0.1 s
  auto tokens = full;
  auto reference = stage.behind->at(0);
  std::vector<Step> batches;
  for (Step batch = 1; batch <= last; ++batch) {
    tokens = std::min(full, tokens + come_in);
    const auto moved = std::abs(stage.before->at(batch) - reference);
    const auto diverged
      = options.divergence == 0 || moved > options.divergence * std::abs(reference);
    if ((come_in == 0 || tokens >= 1000) && diverged) {
      batches.push_back(batch);
      tokens -= 1000;
      reference = stage.behind->at(batch);
    }
  }
  return batches;
}

} // namespace

TEST_CASE("tokens allow a burst of syncs, and then their rate per second", "[rate_limited][L14]") {
  ComposedStage stage{{.tokens = {.per_second = 2, .burst = 3}}};
  // Three at once, and half a token from 0.1 to 0.3 s: the next token is complete at 0.6 s.
  CHECK(stage.synced(30) == std::vector<Step>{1, 2, 3, 6, 11, 16, 21, 26});
}

TEST_CASE("combined limits allow what each of them allows", "[rate_limited][L14]") {
  const auto options = GENERATE(
    SharedParamsRateLimitedOptions{}, SharedParamsRateLimitedOptions{.divergence = 0.05},
    SharedParamsRateLimitedOptions{.divergence = 0.3},
    SharedParamsRateLimitedOptions{.tokens = {.per_second = 1, .burst = 2}},
    SharedParamsRateLimitedOptions{.tokens = {.per_second = 4, .burst = 1}, .divergence = 0.05},
    SharedParamsRateLimitedOptions{.tokens = {.per_second = 1, .burst = 2}, .divergence = 0.1});
  ComposedStage stage{options};
  const auto synced = stage.synced(60);
  CHECK_FALSE(synced.empty());
  CHECK(synced == allowed(options, stage, 60));
}

TEST_CASE("parameters that hardly change are not synced", "[rate_limited][L14]") {
  ComposedStage often{{.divergence = 0.01}}, seldom{{.divergence = 0.2}};
  const auto many = often.synced(60), few = seldom.synced(60);
  CHECK(many.size() > few.size());
  CHECK(few.back() < 60); // it converges
}

TEST_CASE("a share of time and tokens hold at once", "[rate_limited][L14]") {
  // 2 / 7 of all time: a sync of 0.1 s asks for 0.25 s of work, three steps. Tokens: one a second.
  SharedParamsRateLimitedOptions options;
  options.limit.maximum_rate = 2.0 / 7;
  options.tokens.per_second = GENERATE(1.0, 100.0);
  Stage stage{{.step_duration = 0.1}};
  const auto holder = slow_holder(stage.world, std::make_shared<double>(0.1));
  const auto sync = stage.world.keep(
    spawn_shared_params_rate_limited(stage.world.system, options, holder, ToyModel{}.layout(), {}));
  stage.gate("sync", shared_params_rate_limited_conditions(), sync, Shows::parameters);
  stage.start();
  stage.world.pass(100s, 100ms);
  const auto pushes = stage.world.ask<HolderStatus>(holder, GetHolderStatus{})->pushes;
  CHECK(pushes == Approx(options.tokens.per_second == 1 ? 100 : 250).epsilon(0.15));
}

TEST_CASE("invalid tokens and an invalid divergence are refused with their name",
          "[rate_limited][L17]") {
  CHECK_THROWS_WITH(ComposedStage({.tokens = {.per_second = -1}}), Catch::Contains("per_second"));
  CHECK_THROWS_WITH(ComposedStage({.tokens = {.burst = 0.5}}), Catch::Contains("burst"));
  CHECK_THROWS_WITH(ComposedStage({.divergence = -0.1}), Catch::Contains("divergence"));
  CHECK_THROWS_WITH(ComposedStage({.divergence = std::nan("")}), Catch::Contains("divergence"));
}
