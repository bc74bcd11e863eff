#include "extensions/monitoring/stream_monitoring.hpp"
#include "extensions/scheduling/hyperparameter_scheduler.hpp"
#include "messages/requests/error.hpp"
#include "tests/support/extension_doubles.hpp"
#include "tests/support/extension_stage.hpp"
#include "tests/support/record_script.hpp"

#include <cmath>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

StageOptions modified_stage(Epoch epochs = 0) {
  return {.toy = {.momentum = 0.5}, .step_duration = 0, .epochs = epochs};
}

/// The value at each batch's update, from the events after it and before the scheduler.
struct Rates {
  explicit Rates(Stage& stage) {
    auto heard = events;
    const auto behave = [heard](Gate::pointer) -> Gate::behavior_type {
      return {[heard](const AskGate& ask) {
        heard->push_back(ask.settings);
        return GateAnswer{};
      }};
    };
    stage.gate("rates", trigger("after_batch"),
               stage.world.keep(Gate{stage.world.system.spawn(behave)}));
  }
  std::vector<double> of(const std::string& setting = "learning_rate") const {
    std::vector<double> values;
    for (const auto& settings : *events)
      values.push_back(settings.at(setting));
    return values;
  }
  std::shared_ptr<std::vector<std::map<std::string, double>>> events
    = std::make_shared<std::vector<std::map<std::string, double>>>();
};

Extension scheduler(Stage& stage, const HyperparameterSchedulerOptions& options) {
  return stage.world.keep(
    spawn_hyperparameter_scheduler(stage.world.system, options, stage.logger));
}

Extension scheduler(Stage& stage, const SettingFunction& function) {
  return stage.world.keep(
    spawn_hyperparameter_scheduler(stage.world.system, "learning_rate", function));
}

const auto start_rate = double{1e-4f}; // the stage's learning rate
using RateList = std::vector<double>;

HyperparameterSchedulerOptions on_plateau(std::int64_t patience) {
  HyperparameterSchedulerOptions options;
  options.schedule.name = ValueCurve::plateau;
  options.schedule.factor = 0.5;
  options.schedule.record = "validation_loss";
  options.schedule.patience = patience;
  return options;
}

} // namespace

TEST_CASE("a learning rate of 10 / n is set after each batch", "[hyperparameter_scheduler][B38]") {
  Stage stage{modified_stage()};
  Rates rates{stage};
  stage.gate("scheduler", trigger("after_batch"),
             scheduler(stage, [](Step n, double) { return 1e-5 * 10 / static_cast<double>(n); }));
  stage.finish_after(5);
  stage.run();
  CHECK(rates.of() == RateList{start_rate, 1e-5 * 10, 1e-5 * 10 / 2, 1e-5 * 10 / 3, 1e-5 * 10 / 4});
}

TEST_CASE("a learning rate is multiplied by 0.2 after each batch",
          "[hyperparameter_scheduler][B38]") {
  Stage stage{modified_stage()};
  Rates rates{stage};
  stage.gate("scheduler", trigger("after_batch"),
             scheduler(stage, [](Step, double old) { return old * 0.2; }));
  stage.finish_after(4);
  stage.run();
  CHECK(rates.of()
        == RateList{start_rate, start_rate * 0.2, start_rate * 0.2 * 0.2,
                    start_rate * 0.2 * 0.2 * 0.2});
}

TEST_CASE("by default a scheduler acts before training, each epoch, and after each batch",
          "[hyperparameter_scheduler][B38]") {
  CHECK(triggers_of(hyperparameter_scheduler_conditions())
        == std::vector<std::string>{"before_training", "before_epoch", "after_batch"});
}

TEST_CASE("each epoch has its own value from its first batch", "[hyperparameter_scheduler][B38]") {
  Stage stage{modified_stage(3)};
  Rates rates{stage};
  HyperparameterSchedulerOptions options;
  options.schedule = {.name = ValueCurve::step, .factor = 0.5, .every = 1};
  options.timeline = "epochs";
  options.record = true;
  stage.gate("scheduler", hyperparameter_scheduler_conditions(), scheduler(stage, options));
  stage.run();
  RateList expected(9, start_rate);
  for (std::size_t batch = 0; batch < expected.size(); ++batch)
    expected[batch] *= std::pow(0.5, static_cast<double>(batch / 3));
  CHECK(rates.of() == expected);
  for (const Step batch : {1, 3, 4, 6, 7, 9}) // the value that it was trained with
    CHECK(number_in(stage.row(batch), "learning_rate") == expected[batch - 1]);
}

TEST_CASE("the first batch of a warm-up has the warm-up's first value",
          "[hyperparameter_scheduler][B38]") {
  Stage stage{modified_stage()};
  Rates rates{stage};
  HyperparameterSchedulerOptions options;
  options.schedule.warm_up = {.duration = 4, .factor = 0.5};
  stage.gate("scheduler", hyperparameter_scheduler_conditions(), scheduler(stage, options));
  stage.finish_after(6);
  stage.run();
  CHECK(rates.of()
        == RateList{start_rate * 0.5, start_rate * 0.625, start_rate * 0.75, start_rate * 0.875,
                    start_rate, start_rate});
}

TEST_CASE("any setting follows a schedule on any timeline, and is recorded on request",
          "[hyperparameter_scheduler][B38]") {
  Stage stage{modified_stage(3)};
  Rates rates{stage};
  HyperparameterSchedulerOptions options;
  options.setting = "momentum";
  options.schedule = {.name = ValueCurve::step, .factor = 0.5, .every = 1};
  options.timeline = "epochs";
  options.record = true;
  stage.gate("scheduler", trigger("after_epoch"), scheduler(stage, options));
  stage.run();
  // The gate receives batches 3 and 6 before the epoch that they end.
  CHECK(rates.of("momentum") == RateList{0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125, 0.125, 0.125});
  CHECK(rates.of("learning_rate") == RateList(9, start_rate));
  CHECK(number_in(stage.row(3), "momentum") == 0.25); // from 0.5, the value at the first call
  CHECK(number_in(stage.row(6), "momentum") == 0.125);
  CHECK(stage.row(2).empty());
}

TEST_CASE("an external change of a setting scales the rest of its schedule",
          "[hyperparameter_scheduler][B38]") {
  ScheduledSetting rate{{.schedule = {.name = ValueCurve::exponential, .gamma = 0.5}}};
  Position now;
  CHECK(rate.next(now, 8) == 8);
  now.batches = 1;
  CHECK(rate.next(now, 8) == 4);
  now.batches = 2;
  CHECK(rate.next(now, 1) == 0.5); // a quarter of the set value
  now.batches = 3;
  CHECK(rate.next(now, 0.5) == 0.25);
}

TEST_CASE("a setting that was set to 0 follows its schedule once it is set again",
          "[hyperparameter_scheduler][B38]") {
  ScheduledSetting rate{{.schedule = {.name = ValueCurve::exponential, .gamma = 0.5}}};
  Position now;
  CHECK(rate.next(now, 8) == 8);
  now.batches = 1;
  CHECK(rate.next(now, 0) == 0);
  now.batches = 2;
  CHECK(rate.next(now, 2) == 1); // half of the value that was set at 4
  now.batches = 3;
  CHECK(rate.next(now, 1) == 0.5);
}

TEST_CASE("a setting whose schedule has ended at 0 keeps a set value",
          "[hyperparameter_scheduler][B38]") {
  const HyperparameterSchedulerOptions options{
    .schedule = {.name = ValueCurve::linear, .duration = 1, .to = 0}};
  ScheduledSetting rate{options};
  Position now;
  CHECK(rate.next(now, 8) == 8);
  now.batches = 1;
  CHECK(rate.next(now, 8) == 0);
  now.batches = 2;
  CHECK(rate.next(now, 3) == 3);
  ScheduledSetting resumed{options};
  resumed.restore(rate.state());
  now.batches = 3;
  CHECK(resumed.next(now, 3) == 3);
}

TEST_CASE("a schedule that begins at 0 leaves it", "[hyperparameter_scheduler][B38]") {
  ScheduledSetting rate{{.schedule = {.warm_up = {.duration = 2}}}};
  Position now;
  CHECK(rate.next(now, 8) == 0);
  now.batches = 1;
  CHECK(rate.next(now, 0) == 4);
  now.batches = 2;
  CHECK(rate.next(now, 4) == 8);
}

TEST_CASE("a schedule attached during training starts there, also after a resume",
          "[hyperparameter_scheduler][B38]") {
  const HyperparameterSchedulerOptions options{
    .schedule = {.name = ValueCurve::linear, .duration = 4, .to = 0}};
  ScheduledSetting rate{options, true};
  Position now;
  now.batches = 1000;
  CHECK(rate.next(now, 8) == 8);
  now.batches = 1001;
  CHECK(rate.next(now, 8) == 6);
  ScheduledSetting resumed{options, true};
  resumed.restore(rate.state());
  now.batches = 1002;
  CHECK(resumed.next(now, 6) == 4);
}

TEST_CASE("a resumed schedule has the same values to the bits", "[hyperparameter_scheduler][B38]") {
  HyperparameterSchedulerOptions options;
  options.schedule = {.name = ValueCurve::cosine,
                      .duration = 11,
                      .to = 1e-6,
                      .warm_up = {.duration = 3, .factor = 0.1}};
  const auto run = [&](Step to, SavedTrainer* trainer, SavedFields* state) {
    Stage stage{modified_stage()};
    const auto extension = scheduler(stage, options);
    if (trainer->cursor > 0) {
      REQUIRE(stage.world.ask<Restored>(stage.trainer, Restore{*trainer}));
      REQUIRE(stage.world.ask<Restored>(extension, RestoreExtension{*state}));
    }
    stage.gate("scheduler", hyperparameter_scheduler_conditions(), extension);
    stage.finish_after(to);
    stage.run();
    *trainer = *stage.world.ask<SavedTrainer>(stage.trainer, Save{});
    *state = stage.world.ask<SavedExtension>(extension, SaveExtension{})->state;
  };
  options.timeline = GENERATE("batches", "epochs");
  const Step at = GENERATE(1, 2, 3, 5, 10);
  SavedTrainer whole, parts;
  SavedFields whole_state, parts_state;
  run(14, &whole, &whole_state);
  run(at, &parts, &parts_state);
  run(14, &parts, &parts_state);
  CHECK(parts.settings == whole.settings);
  CHECK(parts.parameters == whole.parameters);
  CHECK(parts_state == whole_state);
}

TEST_CASE("in a resumed run a scheduler does not change the existing row",
          "[hyperparameter_scheduler][B38]") {
  HyperparameterSchedulerOptions options;
  options.schedule = {.name = ValueCurve::step, .factor = 0.5, .every = 1};
  options.timeline = "epochs";
  options.record = true;
  SavedTrainer saved;
  for (const Step to : {3, 6}) { // the first run starts with batch 0, the second with 3
    Stage stage{modified_stage(3)};
    if (saved.cursor > 0)
      REQUIRE(stage.world.ask<Restored>(stage.trainer, Restore{saved}));
    const auto begin = saved.cursor;
    stage.gate("scheduler", hyperparameter_scheduler_conditions(), scheduler(stage, options));
    stage.finish_after(to);
    stage.run();
    saved = *stage.world.ask<SavedTrainer>(stage.trainer, Save{});
    CHECK(stage.row(begin).contains("learning_rate") == (begin == 0));
    CHECK(stage.row(begin + 1).contains("learning_rate"));
  }
}

TEST_CASE("at a plateau of a record the setting is lowered", "[hyperparameter_scheduler][B38]") {
  Stage stage{modified_stage(5)};
  Rates rates{stage};
  // The evaluator's losses rise from epoch to epoch, and each takes a second.
  stage.gate("monitoring", trigger("after_epoch"),
             stage.world.keep(spawn_stream_monitoring(
               stage.world.system, {}, slow_evaluator(stage.world, 1), stage.logger)),
             Shows::parameters);
  stage.gate("scheduler", trigger("after_epoch"), scheduler(stage, on_plateau(1)));
  stage.run();
  const auto values = rates.of();
  REQUIRE(values.size() == 15);
  // The first epoch is the best, the second is tolerated, the third is not, the fourth is.
  CHECK(RateList{values[0], values[6], values[9], values[12]}
        == RateList{start_rate, start_rate, start_rate * 0.5, start_rate * 0.5});
  CHECK(stage.heard->texts(Level::warning).empty());
}

TEST_CASE("a plateau takes from its record's name whether a rising record is better",
          "[hyperparameter_scheduler][B38]") {
  const auto last_rate = [](const std::string& record, const std::vector<double>& values) {
    Stage stage{modified_stage(5)};
    Rates rates{stage};
    script(stage, values, record);
    auto options = on_plateau(1);
    options.schedule.record = record;
    stage.gate("scheduler", trigger("after_epoch"), scheduler(stage, options));
    stage.run();
    return rates.of().back();
  };
  const std::vector<double> rising{0.5, 0.6, 0.7, 0.8, 0.9}, falling{0.9, 0.8, 0.7, 0.6, 0.5};
  for (const auto* record : {"validation_accuracy", "validation_r2"}) {
    CHECK(last_rate(record, rising) == start_rate);
    CHECK(last_rate(record, falling) < start_rate);
  }
  CHECK(last_rate("validation_loss", rising) < start_rate);
  CHECK(last_rate("validation_loss", falling) == start_rate);
}

TEST_CASE("a plateau resumes from its saved state", "[hyperparameter_scheduler][B38]") {
  ScheduledSetting undisturbed{on_plateau(2)}, first{on_plateau(2)}, second{on_plateau(2)};
  const auto call = [](ScheduledSetting& rate, double record, Step n) {
    Position now;
    now.batches = n;
    rate.observe(record);
    return rate.next(now, n == 0 ? 8 : 8 * std::pow(0.5, static_cast<double>((n - 1) / 3)));
  };
  for (Step n = 0; n < 5; ++n)
    CHECK(call(first, 1, n) == call(undisturbed, 1, n));
  second.restore(first.state());
  for (Step n = 5; n < 12; ++n)
    CHECK(call(second, 1, n) == call(undisturbed, 1, n));
  CHECK(second.state() == undisturbed.state());
}

TEST_CASE("a row without a plateau's record changes nothing and causes one warning",
          "[hyperparameter_scheduler][B38]") {
  Stage stage{modified_stage(3)};
  Rates rates{stage};
  auto conditions = trigger("after_epoch");
  conditions.set_trigger("after_batch", true);
  stage.gate("scheduler", conditions, scheduler(stage, on_plateau(0)));
  stage.run();
  CHECK(rates.of() == RateList(9, start_rate));
  REQUIRE(stage.heard->texts(Level::warning).size() == 1);
  CHECK_THAT(stage.heard->texts(Level::warning).front(),
             Contains("'validation_loss'") && Contains("learning_rate"));
}

TEST_CASE("an unknown setting of the optimizer ends training with the known ones",
          "[hyperparameter_scheduler][B38]") {
  Stage stage{modified_stage()};
  HyperparameterSchedulerOptions options;
  options.setting = "beta1";
  stage.gate("scheduler", hyperparameter_scheduler_conditions(), scheduler(stage, options));
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error, Contains("'beta1'") && Contains("learning_rate, momentum"));
}

TEST_CASE("a value that the optimizer refuses fails training", "[hyperparameter_scheduler][B38]") {
  Stage stage{modified_stage()};
  stage.gate("scheduler", trigger("after_batch"),
             scheduler(stage, [](Step, double) { return -1.0; }));
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error, Contains("'scheduler'") && Contains("learning_rate"));
}

TEST_CASE("invalid options of a scheduler are refused", "[hyperparameter_scheduler]") {
  Stage stage;
  HyperparameterSchedulerOptions options;
  options.timeline = "epoch_s";
  CHECK_THROWS_WITH(spawn_hyperparameter_scheduler(stage.world.system, options, stage.logger),
                    Contains("'epoch_s'"));
  options = {};
  options.schedule.name = ValueCurve::cosine;
  CHECK_THROWS_WITH(spawn_hyperparameter_scheduler(stage.world.system, options, stage.logger),
                    Contains("duration"));
}
