// Extensions whose connection to a run depends on their options.
#include "actors/parameters/parameter_holder.hpp"
#include "apps/catalog/extension_catalog.hpp"
#include "apps/run_config/extension_checks.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/transport/node_system.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_yaml.hpp"

#include <caf/send.hpp>
#include <catch2/catch.hpp>

#include <cmath>
#include <set>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

ConfiguredExtension extension_in(const std::string& name, const std::string& section) {
  ConfiguredExtension extension;
  REQUIRE(read_extension(name, read(section), extension).empty());
  return extension;
}

/// The result of `of` for the extension of this section, spawned for a worker.
template <class Of>
auto of_spawned(const std::string& section, Of of) {
  NodeSystemConfig config{2};
  caf::actor_system system{config};
  ExtensionContext context{system};
  context.holders = {spawn_parameter_holder(system)};
  context.layout.add("w", {1});
  const auto extension = extension_in("spawned", "{" + section + "}");
  const auto spawned = spawn_extension(extension, context);
  caf::anon_send_exit(spawned.actor, caf::exit_reason::user_shutdown);
  return of(spawned);
}

double gate_deadline(const std::string& section) {
  return of_spawned(section, [](const auto& spawned) { return spawned.subscribe_gate.deadline; });
}

} // namespace

TEST_CASE("a schedule of a hyperparameter_scheduler is a map in its section",
          "[hyperparameter_scheduler][B38]") {
  ConfiguredExtension extension;
  const auto errors = read_extension("decay",
                                     read("{type: hyperparameter_scheduler, setting: momentum, "
                                          "schedule: {name: cosine, duration: 10}}"),
                                     extension);
  CHECK(errors.empty());
  CHECK(extension.options.find("schedule")->find("name")->text() == "cosine");
}

TEST_CASE("a trigger is switched on and off regardless of case, as an option is", "[B48]") {
  ConfiguredExtension extension;
  const auto errors = read_extension(
    "timing", read("{after_epoch: False, every_n_batches: OFF, after_batch: True, on_error: Yes}"),
    extension);
  CHECK(errors.empty());
  std::set<std::string> triggers;
  for (const auto& condition : extension.conditions.all())
    triggers.insert(condition.trigger);
  CHECK(triggers == std::set<std::string>{"after_batch", "before_training", "on_error"});
}

TEST_CASE("an unknown part of a checkpoint is refused with the nearest known one", "[B43]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "train 'extensions.checkpoint.separate=[parameters, modle]' " + small_digits);
  CHECK(ran.code == 78);
  CHECK_THAT(ran.error, Contains("did you mean 'model'?")
                          && Contains("parameters, model, optimizer, log, position"));
}

TEST_CASE("a learning rate that falls by a schedule is recorded, and resumes to the same bits",
          "[hyperparameter_scheduler][B38][B45]") {
  WorkFolder work;
  const auto options
    = small_digits
      + "training.epochs=3 optimizer.name=adam extensions.hyperparameter_scheduler.record=true "
        "extensions.hyperparameter_scheduler.schedule.name=exponential "
        "extensions.hyperparameter_scheduler.schedule.gamma=0.9 "
        "extensions.training_monitoring.aggregation=minimum ";
  const auto fingerprint = [](const Ran& ran) {
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    return json_text(ran.out, "parameters");
  };
  const auto whole = fingerprint(troupe_program(work.path(), "train -q --json " + options));
  const auto half = troupe_program(
    work.path(), "train -q --json extensions.finish_after.after_n_batches=13 " + options);
  CHECK(fingerprint(half) != whole);
  const auto rest
    = troupe_program(work.path(), "train -q --json --resume " + json_text(half.out, "run"));
  CHECK(fingerprint(rest) == whole);
}

TEST_CASE("a run that loads parameters, optimizer and position resumes to the bits of the whole",
          "[B44]") {
  WorkFolder work;
  const auto options = small_digits + "training.epochs=3 optimizer.name=adam ";
  const auto train = [&](const std::string& more) {
    const auto ran = troupe_program(work.path(), "train -q --json " + options + more);
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    return ran.out;
  };
  const auto whole = json_text(train(""), "parameters");
  const auto half = json_text(train("extensions.finish_after.after_n_batches=13 "), "run");
  const auto rest = train("'extensions.load={path: " + half
                          + ", position: true, optimizer: true, required: true}' ");
  CHECK(json_text(rest, "parameters") == whole);
  CHECK(json_text(rest, "run") != half);
}

TEST_CASE("all workers start with what the main worker loads", "[B44][T12][T18]") {
  WorkFolder work;
  const auto train = [&](const std::string& more) {
    const auto ran = troupe_program(work.path(), "train -q --json " + small_digits + more);
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    return json_text(ran.out, "run");
  };
  const auto losses = [&](const std::string& run) {
    std::vector<std::string> losses;
    std::istringstream log{contents(work.path() / run / "log.jsonl")};
    const std::string name = "\"validation_loss\":";
    for (std::string line; std::getline(log, line);)
      if (const auto place = line.find(name); place != std::string::npos)
        losses.push_back(line.substr(place, line.find_first_of(",}", place) - place));
    return losses;
  };
  const auto alone = train("training.epochs=4");
  const auto both = train("training.workers=2 training.epochs=1 optimizer.learning_rate=1e-9 "
                          "'extensions.load={path: "
                          + alone + ", workers: main, required: true}'");
  REQUIRE((!losses(alone).empty() && !losses(both).empty()));
  CHECK(losses(both).front() == losses(alone).back());
  CHECK(losses(alone).front() != losses(alone).back());
}

TEST_CASE("a run that also loads a log has the curves of the whole", "[B44]") {
  WorkFolder work;
  const auto options // maximum losses need a gate, which misses no batch
    = small_digits
      + "training.epochs=3 extensions.training_monitoring.every_n_batches=1 "
        "extensions.training_monitoring.aggregation=maximum ";
  const auto run_of = [&](const std::string& more) {
    const auto ran = troupe_program(work.path(), "train -q --json " + options + more);
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    return json_text(ran.out, "run");
  };
  const auto batches_of = [&](const std::string& run) {
    const auto csv
      = troupe_program(work.path(), "log " + run + " --record training_loss --csv").out;
    return std::count(csv.begin(), csv.end(), '\n');
  };
  const auto whole = run_of("");
  const auto half = run_of("extensions.finish_after.after_n_batches=13 ");
  const auto load = "'extensions.load={path: " + half + ", position: true, optimizer: true";
  const auto rest = run_of(load + ", log: true}' ");
  CHECK(batches_of(half) < batches_of(whole));
  CHECK(batches_of(rest) == batches_of(whole));
  CHECK(batches_of(run_of(load + "}' ")) < batches_of(whole));
}

TEST_CASE("a guard that never acts is named once, with the cure", "[nan_guard]") {
  WorkFolder work;
  const auto lines = [&](const std::string& more) {
    const auto ran = troupe_program(work.path(), "train --no-progress training.epochs=1 "
                                                 "'extensions.nan_guard={policy: rewind}' "
                                                   + small_digits + more);
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    return ran.error;
  };
  const std::string warning = "'nan_guard' never acts";
  const auto stops = lines("training.workers=2");
  const auto first = stops.find(warning);
  REQUIRE(first != std::string::npos);
  CHECK(stops.find(warning, first + 1) == std::string::npos);
  CHECK_THAT(stops, Contains("set training.nan=skip"));
  CHECK_THAT(lines("training.nan=skip"), !Contains(warning));
}

TEST_CASE("norms, histograms and a guard are written into the log of a run",
          "[norms][histograms][nan_guard]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "train -q --json " + small_digits
                   + "training.epochs=1 training.nan=skip extensions.nan_guard.policy=rewind "
                     "extensions.norms.every_n_batches=5 extensions.norms.per_parameter=true "
                     "extensions.histograms.every_n_batches=5 extensions.histograms.bins=4");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto log = contents(work.path() / json_text(ran.out, "run") / "log.jsonl");
  for (const auto* name : {"gradient_norm", "update_ratio", "norm_", "_hist_"})
    CHECK_THAT(log, Contains(name));
}

TEST_CASE("invalid options of extensions are refused with the configuration", "[M5]") {
  const auto refused = [](const std::string& word, const std::string& more = "training.epochs=1") {
    ConfigSources sources;
    sources.overrides = {more, word};
    return sentence_of<ConfigError>([&] { read_run_config(sources); });
  };
  CHECK_THAT(refused("+extensions.stream_monitoring.deadline=0"),
             Contains("stream_monitoring.deadline is 0") && Contains("or inf for none"));
  CHECK_THAT(refused("+extensions.timing.window=0"), Contains("give at least 1 copy"));
  CHECK_THAT(refused("+extensions.timing.after=[timing]"), Contains("names 'timing' itself"));
  CHECK_THAT(refused("+extensions.hyperparameter_scheduler.setting=momentum"), // of adam
             Contains("'momentum', which the optimizer does not have")
               && Contains("beta1, beta2, epsilon, learning_rate, weight_decay"));
  CHECK_THAT(refused("+extensions.stop_after_time_elapsed={}"),
             Contains("has no total_duration; give a time, like 12h"));
  CHECK_THAT(refused("training.epochs=9223372036854775807"), Contains("greater than 2^53"));
  CHECK_THAT(refused("training.batches=18446744073709551615"), Contains("greater than 2^53"));
  CHECK_THAT(refused("run.log_interval=18446744073709551615", "+extensions.tensorboard={}"),
             Contains("up to 2^53"));
}

TEST_CASE("an invalid value for an extension is refused with the configuration", "[M5]") {
  const std::vector<std::pair<std::string, std::string>> mistakes{
    {"extensions.checkpoint.keep=0", "extensions.checkpoint: checkpoint.keep is 0"},
    {"extensions.checkpoint.keep=few", "extensions.checkpoint.keep"},
    {"extensions.checkpoint.path=\"\"", "checkpoint.path is empty"},
    {"extensions.checkpoint.path=./config.yaml", "a file that the run itself uses"},
    {"+extensions.best_model.path=result.json", "a file that the run itself uses"},
    {"extensions.printing.style=foo", "no style 'foo'"},
    {"extensions.printing.deadline=0", "the deadline of printing is 0"},
    {"extensions.printing.on_deadline=proceed",
     "printing is an observer, and training never waits"},
    {"extensions.progress_bar.deadline=5", "deadline is 5, but progress_bar is an observer"},
    {"extensions.checkpoint.window=4", "window is 4, but checkpoint is a gate"},
    {"extensions.stream_monitoring.section=foo", "no section 'foo'"},
    {"+extensions.shared_params_rate_limited.limit.maximum_rate=-1", "maximum_rate is -1"},
    {"+extensions.shared_params_rate_limited.tokens.burst=0", "burst is 0"},
    {"+extensions.shared_params_auto_sync.deadline=-1", "the deadline for the parameter holder"},
    {"+extensions.nan_guard.factor=-1", "factor of nan_guard is -1"},
    {"+extensions.histograms.bins=0", "bins of histograms is 0"},
    {"+extensions.tensorboard.level=3", "level of tensorboard is 3"},
    {"+extensions.samples.scale=99", "scale of 99"},
    {"+extensions.hyperparameter_scheduler.timeline=moons", "moons"},
    {"+extensions.load={}", "load.path is empty"},
    {"+extensions.load={path: run, log: true}", "set load.position, too"},
    {"+extensions.early_stopping={}", "the patience is missing"},
    {"+extensions.finish_if_no_improvement={epochs: 2, batches: 3}", "either epochs or batches"},
    {"+extensions.track_the_best={record: \"\"}", "extensions.track_the_best: "},
    {"+extensions.terminal_conditions={limits: {epoch_limit: 0}}", "limits.epoch_limit is 0"},
    {"+extensions.best_model={path: \"\"}", "best_model.path is empty"},
    {"+extensions.stop_after_time_elapsed={total_duration: 5s, start: breakfast}", "'breakfast'"},
  };
  for (const auto& [word, sentence] : mistakes) {
    ConfigSources sources;
    sources.overrides = {word};
    INFO(word);
    CHECK_THAT(sentence_of<ConfigError>([&] { read_run_config(sources); }), Contains(sentence));
  }
}

TEST_CASE("the mistakes of several extensions are reported together", "[M5]") {
  ConfigSources sources;
  sources.overrides = {"extensions.checkpoint.keep=0", "extensions.printing.style=foo"};
  CHECK_THAT(sentence_of<ConfigError>([&] { read_run_config(sources); }),
             Contains("checkpoint.keep is 0") && Contains("no style 'foo'"));
}

TEST_CASE("extensions with equal names, and those waiting for each other, are reported together",
          "[M5][P13]") {
  const auto stopping = extension_in("early_stopping", "{epochs: 2}");
  CHECK_NOTHROW(check_together({stopping, extension_in("epochs", "{type: printing}")}));
  const auto sentence = sentence_of<ConfigError>([&] {
    check_together({extension_in("epochs", "{type: finish_after}"), stopping,
                    extension_in("epochs", "{type: printing}"),
                    extension_in("early_stopping.best", "{type: timing, after: [timestamp]}"),
                    extension_in("timestamp", "{after: [early_stopping.best]}")});
  });
  CHECK_THAT(sentence, Contains("two extensions are called 'epochs'")
                         && Contains("two extensions are called 'early_stopping.best'")
                         && Contains("wait for each other"));
}

TEST_CASE("two monitors whose records have the same names are refused with a suffix as the cure",
          "[B35]") {
  const auto refused = [](const std::string& section) {
    return sentence_of<ConfigError>([&] {
      check_together({extension_in("training_monitoring", "{}"),
                      extension_in("stream_monitoring", "{}"), extension_in("quick", section)});
    });
  };
  CHECK_THAT(refused("{type: stream_monitoring, batches: 1}"),
             Contains("'stream_monitoring' and 'quick' both write 'validation_loss'")
               && Contains("like extensions.quick.suffix=quick"));
  CHECK_THAT(refused("{type: training_monitoring, aggregation: last}"),
             Contains("both write 'training_loss'"));
  CHECK_THAT(refused("{type: stream_monitoring, section: train, prefix: training}"),
             Contains("'training_monitoring' and 'quick' both write 'training_loss'"));
  for (const std::string others :
       {"{type: stream_monitoring, suffix: quick}", "{type: stream_monitoring, section: test}",
        "{type: training_monitoring, prefix: recent}"})
    CHECK_NOTHROW(
      check_together({extension_in("training_monitoring", "{}"),
                      extension_in("stream_monitoring", "{}"), extension_in("quick", others)}));
}

TEST_CASE("a schedule with an error is refused before training", "[hyperparameter_scheduler]") {
  WorkFolder work;
  const auto ran
    = troupe_program(work.path(), "train " + small_digits
                                    + "extensions.hyperparameter_scheduler.schedule.name=cosin");
  CHECK(ran.code != 0);
  CHECK_THAT(ran.error, Contains("cosine"));
}

TEST_CASE("a sync waits for others without limit, unless its section says otherwise",
          "[auto_sync][L10]") {
  const std::string at_triggers = "type: shared_params_auto_sync, staleness: 0, deadline: 30";
  CHECK(std::isinf(gate_deadline(at_triggers))); // 30 is the deadline for the holder
  CHECK(gate_deadline(at_triggers + ", on_deadline: proceed") == 30);
  const std::string limited = "type: shared_params_rate_limited, sync: {deadline: 30}";
  CHECK(std::isinf(gate_deadline(limited)));
  CHECK(gate_deadline(limited + ", deadline: 90") == 90);
}

TEST_CASE("an extension with its own deadline gets time to handle what it missed", "[train][B15]") {
  CHECK(gate_deadline("type: track_the_best, deadline: 30") == 30 + 60);
  CHECK(gate_deadline("type: track_the_best, deadline: 30, on_deadline: finish") == 30);
  CHECK(gate_deadline("type: track_the_best") == 1260 + 60);
  CHECK(gate_deadline("type: nan_guard, deadline: 30") == 30); // it has no deadline of its own
}

TEST_CASE("an observer of the main worker gets only its events, and one of all gets each",
          "[train][T15][T21]") {
  const auto main_only = [](const std::string& workers) {
    return of_spawned("type: norms, workers: " + workers, [](const auto& spawned) {
      CHECK_FALSE(spawned.gate);
      return spawned.subscribe.main_only;
    });
  };
  CHECK(main_only("main"));
  CHECK_FALSE(main_only("all"));
}

TEST_CASE("a gate of the main worker is asked only by it, and one of all by each",
          "[train][T15][T21]") {
  const auto main_only = [](const std::string& workers) {
    return of_spawned("type: nan_guard, workers: " + workers, [](const auto& spawned) {
      CHECK(spawned.gate);
      return spawned.subscribe_gate.main_only;
    });
  };
  CHECK(main_only("main"));
  CHECK_FALSE(main_only("all"));
}

TEST_CASE("a resumed run has no warnings about default extensions that act at the beginning",
          "[train][B20]") {
  WorkFolder work;
  REQUIRE(
    troupe_program(work.path(),
                   "train -q training.epochs=1 extensions.timing.after_n_batches=3 " + small_digits)
      .code
    == 0);
  const auto goes_on = GENERATE(as<std::string>{}, "--resume latest",
                                "extensions.timing.after_n_batches=3 "
                                "'+extensions.load={path: runs/latest/state.bin, position: true}' "
                                  + small_digits);
  const auto ran = troupe_program(work.path(), "train training.epochs=2 " + goes_on);
  CHECK(ran.code == 0);
  CHECK_THAT(ran.error, !Contains("before_first_epoch"));
  CHECK_THAT(ran.error, Contains("'timing': condition after_n_batches can never be true"));
}

TEST_CASE("the time limit of the main worker ends all workers of a run", "[T17][slow]") {
  const std::string form = GENERATE("train training.workers=2", "launch -n 2 --insecure");
  INFO(form);
  WorkFolder work;
  const auto ran
    = shell(work.path(), "timeout 60 \"$troupe\" " + form
                           + " --no-progress --json training.epochs=0 "
                             "'+extensions.stop_after_time_elapsed={total_duration: 1s, "
                             "workers: main}' "
                           + small_digits);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(json_text(ran.out, "reason") == "the time limit of 1s is reached");
  CHECK_THAT(ran.error, !Contains("is main now") || Contains("has not renewed"));
}
