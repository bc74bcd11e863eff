// Remote control, command by command, in virtual time.
#include "actors/checkpoint/run_writer.hpp"
#include "actors/control/control.hpp"
#include "actors/evaluation/evaluator.hpp"
#include "extensions/monitoring/training_monitoring.hpp"
#include "extensions/saving/checkpoint.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "tests/support/program.hpp"
#include "tests/support/trainer_stage.hpp"

#include <algorithm>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

using Words = std::vector<std::string>;

/// A saver whose states are superseded by newer ones.
Extension yielding_saver(DeterministicSystem& world) {
  return world.spawn([]() -> Extension::behavior_type {
    return {[](const LoopEvent&) {}, [](const AskGate&) { return GateAnswer{}; },
            [](const Drain&) { return Drained{}; },
            [](const SaveExtension&) { return SavedExtension{}; },
            [](const RestoreExtension&) { return Restored{}; }};
  });
}

/// A trainer whose batches take a second, and a client that controls it.
class ControlStage {
public:
  explicit ControlStage(Epoch epochs = 0, std::size_t records = 10'000, bool saves = true,
                        bool measures_norms = false)
    : stage({.toy = {.momentum = 0.5}, .step_duration = 1, .epochs = epochs}) {
    auto& system = stage.world.system;
    ControlOptions options;
    options.token = "secret";
    options.trainers = {stage.trainer};
    options.logger = stage.logger;
    options.records = records;
    options.refuse_record = [](const std::string& record) {
      return record == "gradient_norm" ? "" : "nothing writes '" + record + "'";
    };
    if (measures_norms)
      options.attached = {norms()};
    options.evaluator
      = stage.world.keep(spawn_evaluator(system, stage.problem, std::make_shared<ToyModel>()));
    options.saver = saves ? checkpoint() : yielding_saver(stage.world);
    options.spawn = [this](const auto& type, const auto& name, const auto& words) {
      return spawn(type, name, words);
    };
    control = stage.world.keep(spawn_control(system, options));
  }

  Extension checkpoint() {
    return caf::actor_cast<Extension>(
      stage.world.keep(spawn_checkpoint(stage.world.system, {},
                                        {{stage.trainer},
                                         {},
                                         stage.logger,
                                         spawn_scheduled_run_writer(stage.world.system),
                                         work.path(),
                                         "log"})));
  }

  /// An observer that writes ten times the number of batches as a record, some time later.
  AttachedExtension norms() {
    AttachedExtension extension;
    extension.name = "norms";
    extension.actor = stage.world.spawn(
      [logger = stage.logger](Extension::pointer self) -> Extension::behavior_type {
        return {[self, logger](const LoopEvent& event) {
                  Write write;
                  write.row = {event.worker, event.position.batches};
                  write.records["gradient_norm"]
                    = Value{10.0 * static_cast<double>(event.position.batches)};
                  self->send(logger, write);
                },
                [](const AskGate&) { return GateAnswer{}; }, [](const Drain&) { return Drained{}; },
                [](const SaveExtension&) { return SavedExtension{}; },
                [](const RestoreExtension&) { return Restored{}; }};
      });
    extension.subscribe = {"norms", Conditions{}.set_trigger("after_batch", true),
                           caf::actor_cast<Observer>(extension.actor)};
    extension.id = stage.world.ask<Subscribed>(stage.trainer, extension.subscribe)->id;
    return extension;
  }

  /// Only monitoring, as an observer.
  std::vector<AttachedExtension> spawn(const std::string& type, const std::string& name,
                                       const Words& words) {
    if (type != "training_monitoring")
      throw std::invalid_argument("there is no extension '" + type + "'");
    AttachedExtension extension;
    extension.name = name;
    extension.shares = name == "sharing";
    TrainingMonitoringOptions options;
    options.prefix = name;
    extension.actor
      = stage.world.keep(spawn_training_monitoring(stage.world.system, options, stage.logger));
    spawned = extension.actor;
    Conditions conditions;
    for (const auto& word : words)
      conditions.set_trigger(word.substr(0, word.find('=')),
                             Value{std::int64_t{std::stoll(word.substr(word.find('=') + 1))}});
    extension.subscribe = {name, conditions, caf::actor_cast<Observer>(extension.actor)};
    return {extension};
  }

  /// Sends a request, and lets time pass until the answer comes.
  ControlAnswer act(const std::string& verb, const Words& words = {},
                    const std::string& token = "secret") {
    const Pending<ControlAnswer> answer{stage.world, control,
                                        ControlRequest{token, verb, words, "ann@n1"}};
    stage.world.run();
    for (auto i = 0; i < 1000 && !answer.answered(); ++i)
      stage.world.advance(10ms);
    REQUIRE(answer.answered());
    return *answer;
  }
  std::string done(const std::string& verb, const Words& words = {}) {
    const auto answer = act(verb, words);
    INFO((answer.lines.empty() ? "" : answer.lines.front()));
    CHECK(answer.ok);
    return answer.lines.empty() ? "" : answer.lines.front();
  }
  std::string refused(const std::string& verb, const Words& words = {}) {
    const auto answer = act(verb, words);
    CHECK_FALSE(answer.ok);
    REQUIRE_FALSE(answer.lines.empty());
    return answer.lines.back();
  }
  LogTail tail(std::uint64_t from, std::uint64_t rows = 10) {
    return *stage.world.ask<LogTail>(control, TailLog{"secret", from, rows});
  }
  Step batches() { return stage.status().position.batches; }
  float parameter() {
    return stage.world.ask<SavedTrainer>(stage.trainer, Save{})->parameters.values.view()[0];
  }
  void end() {
    const Pending<Drained> drained{stage.world, control, Drain{}};
    stage.world.pass(3s, 100ms);
    CHECK(drained.answered());
  }
  bool said(const std::string& text) {
    return std::any_of(stage.heard->lines.begin(), stage.heard->lines.end(),
                       [&](const Say& say) { return say.text.find(text) != std::string::npos; });
  }

  WorkFolder work;
  TrainerStage stage;
  Extension spawned;
  RunControl control;
};

} // namespace

TEST_CASE("a client without the token is refused without a reason, and the log says so", "[P15]") {
  ControlStage run;
  run.stage.start();
  for (const auto* token : {"", "Secret", "secret "}) {
    const auto answer = run.act("stop", {}, token);
    CHECK(answer == ControlAnswer{{"refused"}, false});
    CHECK(run.act("nonsense", {}, token) == answer);
  }
  const auto tail = run.stage.world.ask<LogTail>(run.control, TailLog{"", 0, 10});
  CHECK_FALSE(tail->ok);
  CHECK(tail->lines.empty());
  CHECK(run.stage.heard->texts(Level::warning).size() == 1); // one line a second of a flood
  run.stage.world.pass(2s, 100ms);
  run.act("status", {}, "guess");
  CHECK_THAT(run.stage.heard->texts(Level::warning).back(), Contains("8 so far"));
  CHECK(number_in(run.stage.run_status(), "control_refused") == 8);
  CHECK_FALSE(run.stage.ended());
}

TEST_CASE("an unknown command is refused with the nearest one, and bad arguments with the cure",
          "[P15]") {
  ControlStage run;
  CHECK_THAT(run.refused("resmue"), Contains("did you mean 'resume'"));
  CHECK_THAT(run.refused("step", {"many"}), Contains("'many'"));
  CHECK_THAT(run.refused("set", {"learning_rat=1"}), Contains("learning_rate"));
  CHECK_THAT(run.refused("attach", {"prnting"}), Contains("'prnting'"));
  CHECK_THAT(run.refused("detach", {"nobody"}), Contains("'nobody'") && Contains("none"));
}

TEST_CASE("an extension that shares parameters is not detached, since they are the run's result",
          "[P15]") {
  ControlStage run;
  run.stage.start();
  run.done("attach", {"training_monitoring:sharing", "every_n_batches=1"});
  for (const Words& words : {Words{"sharing"}, Words{"sharing", "at=9"}})
    CHECK_THAT(run.refused("detach", words),
               Contains("'sharing' shares parameters from the start or not at all"));
  CHECK_THAT(run.refused("detach", {"nobody"}), Contains("there are: sharing"));
}

TEST_CASE("a controlled run reports its position, as text and as JSON", "[P15]") {
  ControlStage run;
  CHECK_THAT(run.done("status"), Contains("worker 0: idle"));
  run.stage.start();
  run.stage.world.pass(2s + 500ms, 100ms);
  CHECK_THAT(run.done("status"), Contains("batch, 2 batches and 0 epochs done"));
  CHECK_THAT(run.done("status", {"json"}), Contains(R"("batches":2)") && Contains("learning_rate"));
  const auto extensions = [&run] { return run.act("status").lines.size() - 1; };
  const auto before = extensions();
  run.done("attach", {"training_monitoring:mine", "every_n_batches=1"});
  run.done("pause", {"at=90"});
  CHECK_THAT(run.act("status").lines.back(), Contains("control 1: pause at=90: 0 events"));
  CHECK(extensions() == before + 2);
  run.done("detach", {"mine"});
  CHECK(extensions() == before + 1);
  CHECK(run.act("ping").ok);
}

TEST_CASE("pause answers once training holds, and resume lets it continue", "[P15]") {
  ControlStage run;
  run.stage.start();
  run.stage.world.pass(1s + 500ms, 100ms);
  CHECK_THAT(run.done("pause"), Contains("paused, 2 batches"));
  run.stage.world.pass(60s, 1s);
  CHECK(run.batches() == 2);
  run.done("resume");
  run.stage.world.pass(2s, 100ms);
  CHECK(run.batches() == 4);
  CHECK(run.said("control: pause (worker 0, batch 2)"));
  CHECK(text_in(run.stage.row(2), "control") == "resume"); // the later of two in one row
}

TEST_CASE("a pause that another client undoes before training holds is reported", "[P15]") {
  ControlStage run;
  run.stage.start();
  run.stage.world.pass(1s + 500ms, 100ms);
  const Pending<ControlAnswer> pause{run.stage.world, run.control,
                                     ControlRequest{"secret", "pause", {}}};
  run.done("resume");
  run.stage.world.pass(1s, 10ms);
  REQUIRE(pause.answered());
  CHECK_FALSE(pause->ok);
  CHECK_THAT(pause->lines.back(), Contains("worker 0 is training: it was resumed in the meantime"));
  CHECK(run.batches() == 2);
  CHECK_THAT(run.done("pause"), Contains("paused, 3 batches"));
}

TEST_CASE("step trains so many batches and holds again", "[P15]") {
  ControlStage run;
  run.done("pause");
  run.stage.start();
  CHECK_THAT(run.done("step", {"2"}), Contains("paused, 2 batches"));
  CHECK_THAT(run.done("step"), Contains("paused, 3 batches"));
  run.stage.world.pass(60s, 1s);
  CHECK(run.batches() == 3);
}

TEST_CASE("a pause at a batch holds after exactly that batch", "[P15]") {
  ControlStage run;
  CHECK_THAT(run.done("pause", {"at=5"}), Contains("scheduled: "));
  run.stage.start();
  run.stage.world.pass(60s, 100ms);
  CHECK(run.stage.status().phase == "paused");
  CHECK(run.batches() == 5);
  CHECK(text_in(run.stage.row(5), "control") == "pause at=5");
  CHECK_THAT(run.refused("pause", {"at=5"}), Contains("batch 5") && Contains("is over"));
  CHECK_THAT(run.refused("pause", {"at=3"}), Contains("is at batch 5"));
  const auto warnings = run.stage.heard->texts(Level::warning);
  REQUIRE(warnings.size() == 2); // one for each, and none for a gate that was not asked
  CHECK_THAT(warnings.back(), Contains("control: pause at=3: batch 3 of worker 0 is over"));
}

TEST_CASE("stop ends a run as an interrupt does, at once or at its batch", "[P15]") {
  ControlStage run;
  run.stage.start();
  run.stage.world.pass(1s + 500ms, 100ms);
  const auto at = GENERATE(false, true);
  if (at)
    run.done("stop", {"at=4"});
  else
    run.done("stop");
  run.stage.world.pass(10s, 100ms);
  REQUIRE(run.stage.ended());
  CHECK(run.stage.finished().outcome == Outcome::interrupted);
  CHECK(run.stage.finished().position.batches == (at ? 4 : 2));
}

TEST_CASE("a value set at a batch gives the bits of a run that was configured so", "[P15][B38]") {
  ControlStage configured;
  configured.stage.note("configured", trigger("after_n_batches", batches(6)), [](const LoopEvent&) {
    GateAnswer answer;
    answer.settings["learning_rate"] = 0.125e-4;
    return answer;
  });
  configured.stage.finish_after(20);
  configured.stage.run();

  const auto asked_at = GENERATE(0ms, 500ms, 2700ms, 5900ms);
  ControlStage steered;
  steered.stage.finish_after(20);
  steered.stage.start();
  steered.stage.world.pass(asked_at, 100ms);
  steered.done("set", {"learning_rate=0.125e-4", "at=6"});
  steered.stage.world.pass(30s, 100ms);
  REQUIRE(steered.stage.ended());
  CHECK(steered.parameter() == configured.parameter());

  ControlStage other;
  other.stage.finish_after(20);
  other.done("set", {"learning_rate=0.125e-4", "at=7"});
  other.stage.run();
  CHECK(other.parameter() != configured.parameter());
}

TEST_CASE("a value is set during training, and an invalid one is not", "[P15]") {
  ControlStage run;
  run.stage.start();
  run.stage.world.pass(1s + 500ms, 100ms);
  CHECK_THAT(run.done("set", {"learning_rate=0.5e-4"}), Contains("learning rate 5e-05"));
  CHECK_THAT(run.refused("set", {"learning_rate=-1"}), Contains("learning_rate"));
  CHECK(run.stage.status().learning_rate == Approx(0.5e-4));
  CHECK(run.said("control: set learning_rate=-1: "));
  // At a batch it is detected late: training continues, and the log says so.
  run.done("set", {"learning_rate=-1", "at=5"});
  run.stage.world.pass(10s, 100ms);
  CHECK(run.batches() > 6);
  CHECK(run.said("control: set learning_rate=-1 at=5: "));
}

TEST_CASE("an extension that is attached at a batch counts from there", "[P15]") {
  ControlStage run;
  const Words words{"training_monitoring:mine", "every_n_batches=1", "at=3"};
  run.done("attach", words);
  run.stage.start();
  run.stage.world.pass(5s + 500ms, 100ms);
  for (Step batch = 1; batch <= 5; ++batch)
    CHECK((run.stage.row(batch).count("mine_loss") == 1) == (batch > 3));
  CHECK_THAT(run.refused("attach", words), Contains("there already"));

  CHECK_THAT(run.done("detach", {"mine", "at=7"}), Contains("scheduled: "));
  run.stage.world.pass(5s, 100ms);
  for (Step batch = 6; batch <= 10; ++batch)
    CHECK((run.stage.row(batch).count("mine_loss") == 1) == (batch <= 7));
  CHECK_THAT(run.refused("detach", {"mine"}), Contains("none"));
  run.done("attach", {"training_monitoring:mine", "every_n_batches=1"});
}

TEST_CASE("a condition that can no longer become true is reported when its extension is attached",
          "[P15][B20]") {
  ControlStage run;
  run.stage.start();
  run.stage.world.pass(3s + 500ms, 100ms);
  const std::string sentence
    = "extension 'training_monitoring': condition after_n_batches can never be true";
  CHECK_THAT(run.done("attach", {"training_monitoring", "after_n_batches=2"}), Contains(sentence));
  CHECK(run.said(sentence));
  CHECK_THAT(run.done("attach", {"training_monitoring:later", "after_n_batches=50"}),
             !Contains("can never be true"));
}

TEST_CASE("an extension is attached during training, and ends when it is detached", "[P15]") {
  ControlStage run;
  run.stage.start();
  run.stage.world.pass(2s + 500ms, 100ms);
  run.done("attach", {"training_monitoring", "every_n_batches=2"});
  CHECK_THAT(run.act("status").lines.back(), Contains("training_monitoring: 0 events"));
  run.stage.world.pass(4s, 100ms);
  CHECK(run.stage.row(4).count("training_monitoring_loss") == 1);
  run.done("detach", {"training_monitoring"});
  CHECK_FALSE(run.stage.world.ask<SavedExtension>(run.spawned, SaveExtension{}));
  run.stage.world.pass(4s, 100ms);
  CHECK(run.stage.row(8).count("training_monitoring_loss") == 0);
  CHECK_FALSE(run.stage.ended());
}

TEST_CASE("the current parameters are evaluated, for people and for the log", "[P15]") {
  ControlStage run;
  run.stage.start();
  run.stage.world.pass(3s + 500ms, 100ms);
  CHECK_THAT(run.done("evaluate"), Contains("validation loss "));
  CHECK(run.stage.row(3).count("validation_loss") == 1);
  run.done("evaluate", {"train", "at=5"});
  run.stage.world.pass(3s, 100ms);
  CHECK(run.stage.row(5).count("train_loss") == 1);
}

TEST_CASE("a state is saved at once while training holds, otherwise after the batch", "[P15]") {
  ControlStage run;
  run.stage.start();
  run.stage.world.pass(1s + 500ms, 100ms);
  CHECK_THAT(run.done("save", {"running.bin"}), Contains("running.bin"));
  CHECK(load_run(run.work.path() / "running.bin").trainers.front().position.batches == 2);
  run.done("pause");
  const auto held = run.batches();
  run.done("save", {"held.bin"});
  CHECK(load_run(run.work.path() / "held.bin").trainers.front().position.batches == held);
  run.done("save", {"later.bin", "at=6"});
  run.done("resume");
  run.stage.world.pass(6s, 100ms);
  CHECK(load_run(run.work.path() / "later.bin").trainers.front().position.batches == 6);
}

TEST_CASE("a state that a newer one superseded is not reported as unwritable", "[P15]") {
  ControlStage run{0, 2000, false};
  run.stage.start();
  CHECK_THAT(run.done("save"), Contains("a newer state replaced it"));
}

TEST_CASE("a follower of the log gets each row once, and its end", "[P15]") {
  ControlStage run;
  run.done("attach", {"training_monitoring", "every_n_batches=1"});
  run.stage.finish_after(6);
  run.stage.start();
  std::vector<std::string> rows;
  std::uint64_t next = 0;
  const auto poll = [&] {
    const auto tail = run.tail(next);
    next = tail.next;
    rows.insert(rows.end(), tail.lines.begin(), tail.lines.end());
    return tail.ended;
  };
  for (auto i = 0; i < 20; ++i) {
    CHECK_FALSE(poll());
    run.stage.world.advance(500ms);
  }
  const Pending<Drained> drained{run.stage.world, run.control, Drain{}};
  run.stage.world.run();
  CHECK_FALSE(drained.answered()); // a follower has not seen the end
  CHECK(poll());
  run.stage.world.advance(100ms);
  CHECK(drained.answered());
  for (auto batch = 1; batch <= 6; ++batch) {
    const auto row = "\"batch\":" + std::to_string(batch) + ",";
    CHECK(std::count_if(rows.begin(), rows.end(),
                        [&](const auto& line) {
                          return line.find(row) != std::string::npos
                                 && line.find("training_monitoring_loss") != std::string::npos;
                        })
          == 1);
  }
}

TEST_CASE("rows that are no longer kept are counted as missed", "[P15]") {
  ControlStage run{0, 6}; // of three rows
  run.done("attach", {"training_monitoring", "every_n_batches=1"});
  run.stage.start();
  run.stage.world.pass(8s + 500ms, 100ms);
  const auto tail = run.tail(1);
  CHECK(tail.lines.size() == 3);
  CHECK(tail.missed + 4 == tail.next);
  CHECK(run.tail(tail.next).lines.empty());
  CHECK(run.tail(tail.next + 100).next == tail.next);
  CHECK(run.tail(0, 2).lines.size() == 2);
}

TEST_CASE("commands that training did not reach are reported, and the run ends", "[P15]") {
  ControlStage run;
  run.done("set", {"learning_rate=1", "at=100"});
  run.done("attach", {"training_monitoring", "every_n_batches=1", "at=100"});
  run.stage.finish_after(3);
  run.stage.run();
  run.end();
  CHECK(run.said("training ended before 'set learning_rate=1 at=100'"));
  CHECK(run.said("training ended before 'attach training_monitoring"));
  CHECK_FALSE(run.stage.world.ask<SavedExtension>(run.spawned, SaveExtension{}));
  CHECK_THAT(run.refused("resume"), Contains("has ended"));
  run.done("status");
}

TEST_CASE("a follower that has ended is not waited for", "[P15]") {
  ControlStage run;
  auto& world = run.stage.world;
  const auto follower = world.spawn([&run](caf::event_based_actor* self) -> caf::behavior {
    self->request(run.control, caf::infinite, TailLog{"secret", 0, 10}).then([](const LogTail&) {});
    return {[](int) {}};
  });
  world.self->send_exit(follower, caf::exit_reason::user_shutdown);
  world.run();
  const Pending<Drained> drained{world, run.control, Drain{}};
  world.run();
  CHECK(drained.answered());
}

TEST_CASE("an end that comes first leaves no follower waiting forever", "[P15]") {
  ControlStage run;
  run.tail(0);
  const Pending<Drained> drained{run.stage.world, run.control, Drain{}};
  run.stage.world.run();
  CHECK_FALSE(drained.answered());
  run.stage.world.pass(1s + 100ms, 20ms);
  CHECK(drained.answered());
}

TEST_CASE("an order's row says who gave it", "[control]") {
  ControlStage run;
  run.done("set", {"learning_rate=0.25", "at=2"});
  run.stage.start();
  run.stage.world.pass(5s, 100ms);
  CHECK(text_in(run.stage.row(2), "control") == "set learning_rate=0.25 at=2");
  CHECK(text_in(run.stage.row(2), "control_by") == "ann@n1");
}

TEST_CASE("training pauses at the batch that meets a breakpoint, and the log says which",
          "[breakpoint]") {
  ControlStage run{0, 10'000, true, true};
  CHECK_THAT(run.done("break", {"batch == 3"}), Contains("breakpoint 1: batch == 3"));
  CHECK_THAT(run.done("break", {"gradient_norm", ">", "45"}), Contains("breakpoint 2"));
  CHECK_THAT(run.act("break").lines.back(), Contains("gradient_norm > 45, set by ann@n1"));
  run.stage.start();
  run.stage.world.pass(60s, 100ms);
  CHECK(run.stage.status().phase == "paused");
  CHECK(run.batches() == 3);
  CHECK(text_in(run.stage.row(3), "control")
        == "pause at breakpoint 1 (batch == 3), the value is 3");
  CHECK(text_in(run.stage.row(3), "control_by") == "breakpoint 1");
  run.done("resume");
  run.stage.world.pass(60s, 100ms);
  CHECK(run.batches() == 5); // the first whose record is above 45
  CHECK(text_in(run.stage.row(5), "control")
        == "pause at breakpoint 2 (gradient_norm > 45), the value is 50");
}

TEST_CASE("a breakpoint that is removed pauses nothing", "[breakpoint]") {
  ControlStage run;
  const auto before = run.stage.status().subscriptions.size();
  run.done("break", {"batch >= 2"});
  CHECK(run.stage.status().subscriptions.size() == before + 1);
  CHECK_THAT(run.refused("unbreak", {"7"}), Contains("there is no breakpoint 7"));
  run.done("unbreak", {"1"});
  CHECK(run.act("break").lines.front() == "no breakpoints");
  run.stage.start();
  run.stage.world.pass(5s, 100ms);
  CHECK(run.batches() > 3);
  run.done("break", {"loss is not finite"});
  run.done("unbreak", {"all"});
}

TEST_CASE("a breakpoint on a record that nothing writes is refused with the nearest name",
          "[breakpoint]") {
  ControlStage run;
  CHECK_THAT(run.refused("break", {"los > 3"}), Contains("did you mean 'loss'"));
  CHECK_THAT(run.refused("break", {"temperature > 3"}), Contains("nothing writes 'temperature'"));
}
