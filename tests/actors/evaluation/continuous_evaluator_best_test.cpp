// How a continuous evaluator handles its measurements and errors.
#include "actors/evaluation/continuous_evaluator.hpp"
#include "messages/requests/error.hpp"
#include "tests/support/deterministic_system.hpp"

#include <caf/event_based_actor.hpp>

#include <cmath>

using namespace troupe;
using namespace troupe::test;

namespace {

using Measures = std::vector<Metric>;

/// A continuous evaluator with a holder, an evaluator and a logger that the test controls.
class Measuring {
public:
  explicit Measuring(ContinuousEvaluatorOptions options = {}) {
    options.worker = 5;
    held = holder();
    watcher
      = world.keep(spawn_continuous_evaluator(world.system, held, evaluator(), logger(), options));
    status.workers = {0};
  }

  void start() {
    summary.emplace(world, watcher, EvaluateVersions{});
    pass(500ms);
  }
  void pass(caf::timespan time) { world.pass(time, 100ms); }
  template <class Message>
  void send(const Message& message) {
    world.self->send(watcher, message);
    world.run();
  }

  /// A new version with these metrics.
  void give(Version version, Measures metrics) {
    evaluated.metrics = std::move(metrics);
    status.version = version;
    answer_await(Parameters{.version = version, .values = block});
    pass(1s);
  }
  void refuse(Error error) { answer_await(fail(error, "no parameters from here")); }
  void leave() {
    status.workers.clear();
    pass(5s);
  }

  DeterministicSystem world;
  Block block = Block::copy_of(std::vector<float>{1, 2, 3});
  HolderStatus status;
  bool reachable = true;        ///< the holder answers requests for its status and Leave
  Evaluated evaluated;          ///< the evaluator's next answer
  bool measures = true;         ///< it answers instead of failing
  std::vector<Block> seen;      ///< what it was asked to measure
  std::vector<Version> awaited; ///< newer than which
  unsigned left = 0;            ///< number of Leaves
  std::vector<Write> rows;
  std::vector<std::string> said;
  ContinuousEvaluator watcher;
  std::optional<Pending<VersionsEvaluated>> summary;

private:
  void answer_await(caf::expected<Parameters> answer) {
    REQUIRE(awaiting.pending());
    next = std::move(answer);
    world.self->send(caf::actor_cast<caf::actor>(held), 1);
    world.run();
  }
  ParameterHolder holder() {
    const auto unless_gone = [this](const auto& answer) {
      caf::result<std::decay_t<decltype(answer)>> result{fail(Error::unavailable, "it is gone")};
      if (reachable)
        result = answer;
      return result;
    };
    const auto behave = [=, this](caf::event_based_actor* self) -> caf::behavior {
      return {
        [](const Join&) {
          return Joined{1, true};
        },
        [=, this](const GetHolderStatus&) { return unless_gone(status); },
        [=, this](const Await& await) {
          awaited.push_back(await.after);
          awaiting = self->make_response_promise<Parameters>();
          return awaiting;
        },
        [this](int) {
          if (next)
            awaiting.deliver(*next);
          else
            awaiting.deliver(next.error());
        },
        [this](const Leave&) { ++left; },
        [=](const Renew&) { return unless_gone(Renewed{}); },
      };
    };
    return world.keep(caf::actor_cast<ParameterHolder>(world.system.spawn(behave)));
  }
  Evaluator evaluator() {
    const auto behave = [this]() -> caf::behavior {
      return {[this](const Evaluate& evaluate) -> caf::result<Evaluated> {
        seen.push_back(evaluate.parameters.values);
        if (!measures)
          return fail(Error::io, "the section cannot be read");
        return evaluated;
      }};
    };
    return world.keep(caf::actor_cast<Evaluator>(world.system.spawn(behave)));
  }
  Logger logger() {
    const auto behave = [this]() -> caf::behavior {
      return {
        [this](const Write& write) { rows.push_back(write); },
        [this](const Say& say) { said.push_back(say.text); },
      };
    };
    return world.keep(caf::actor_cast<Logger>(world.system.spawn(behave)));
  }

  ParameterHolder held;
  caf::typed_response_promise<Parameters> awaiting;
  caf::expected<Parameters> next{caf::error{}}; ///< the answer to it
};

/// The best of versions 1, 2, ... with these metrics.
Version best_of(const std::vector<Measures>& measured) {
  Measuring measuring;
  measuring.start();
  for (Version version = 1; version <= measured.size(); ++version)
    measuring.give(version, measured[version - 1]);
  measuring.leave();
  REQUIRE(measuring.summary->answered());
  CHECK((*measuring.summary)->measured == measured.size());
  return (*measuring.summary)->best.version;
}

} // namespace

TEST_CASE("versions are compared by their loss, or else by their first metric",
          "[continuous_evaluator][T22]") {
  CHECK(best_of({{{"accuracy", 0.5}, {"loss", 2}}, {{"accuracy", 0.1}, {"loss", 3}}}) == 1);
  CHECK(best_of({{{"mse", 0.5}, {"mae", 1}}, {{"mse", 0.3}, {"mae", 2}}}) == 2);
}

TEST_CASE("of equally good versions the first is best, and NaN never is",
          "[continuous_evaluator][T22]") {
  CHECK(best_of({{{"loss", 2}}, {{"loss", 2}}, {{"loss", 3}}}) == 1);
  CHECK(best_of({{{"loss", std::nan("")}}, {{"loss", 2}}, {{"loss", std::nan("")}}}) == 2);
}

TEST_CASE("only the model's part of the shared values is measured", "[continuous_evaluator]") {
  Measuring measuring{{.parameters = 2}};
  measuring.start();
  measuring.give(1, {{"loss", 1}});
  REQUIRE(measuring.seen.size() == 1);
  CHECK(measuring.seen.front() == Block::copy_of(std::vector<float>{1, 2}));
}

TEST_CASE("a measurement is a row and a line with the skipped versions and undefined metrics",
          "[continuous_evaluator][T22]") {
  Measuring measuring;
  measuring.pass(10s); // not counted
  measuring.start();
  measuring.evaluated.undefined = {"r2"};
  measuring.give(4, {{"loss", 0.25}, {"r2", 0}});
  measuring.give(6, {{"loss", 0.5}, {"r2", 0}});
  CHECK(measuring.said
        == std::vector<std::string>{
          "version 4: loss 0.2500, r2 0.0000 (undefined) (3 versions skipped)",
          "version 6: loss 0.5000, r2 0.0000 (undefined) (1 version skipped)"});
  REQUIRE(measuring.rows.size() == 2);
  CHECK(measuring.rows[0].row == RowKey{5, 4});
  CHECK(measuring.rows[0].seconds == Approx(0.5));
  CHECK(measuring.rows[0].records
        == Records{{"validation_loss", Value{0.25}},
                   {"validation_r2", Value{0.0}},
                   {"validation_undefined", Value{std::string{"r2"}}},
                   {"evaluated_version", Value{std::int64_t{4}}},
                   {"skipped_versions", Value{std::int64_t{3}}}});
  measuring.leave();
  REQUIRE(measuring.summary->answered());
  CHECK((*measuring.summary)->skipped == 4);
}

TEST_CASE("a version is never measured twice", "[continuous_evaluator][T22]") {
  Measuring measuring;
  measuring.start();
  measuring.give(4, {{"loss", 1}});
  CHECK(measuring.awaited == std::vector<Version>{0, 4});
  measuring.give(4, {{"loss", 2}}); // of a holder that came back
  measuring.give(3, {{"loss", 2}});
  CHECK(measuring.seen.size() == 1);
  measuring.give(5, {{"loss", 2}});
  CHECK(measuring.seen.size() == 2);
}

TEST_CASE("a failing evaluator ends evaluation with its sentence", "[continuous_evaluator]") {
  Measuring measuring;
  measuring.start();
  measuring.measures = false;
  measuring.give(1, {});
  REQUIRE(measuring.summary->answered());
  CHECK((*measuring.summary)->outcome == Outcome::failed);
  CHECK_THAT((*measuring.summary)->reason,
             Catch::Contains("the evaluator answered") && Catch::Contains("cannot be read"));
  CHECK(measuring.left == 1);
}

TEST_CASE("unavailable parameters are requested again, a refusal ends evaluation",
          "[continuous_evaluator]") {
  Measuring measuring;
  measuring.start();
  for (const auto error : {Error::unavailable, Error::stale, Error::not_joined}) {
    measuring.refuse(error);
    measuring.pass(1s);
    CHECK_FALSE(measuring.summary->answered());
  }
  measuring.refuse(Error::shape_mismatch);
  measuring.pass(1s);
  REQUIRE(measuring.summary->answered());
  CHECK((*measuring.summary)->outcome == Outcome::failed);
  CHECK_THAT((*measuring.summary)->reason, Catch::Contains("no parameters from here"));
}

TEST_CASE("without a connection to the holder evaluation also ends after the idle limit",
          "[continuous_evaluator][T23]") {
  Measuring measuring{{.queue = {.every = 100, .idle_limit = 20}}};
  measuring.status.version = 5; // which cannot be fetched then
  measuring.start();
  measuring.reachable = false;
  measuring.pass(19s);
  CHECK_FALSE(measuring.summary->answered());
  measuring.pass(2s);
  REQUIRE(measuring.summary->answered());
  CHECK((*measuring.summary)->outcome == Outcome::finished);
}

TEST_CASE("a soft stop after all workers have left is the end of their run",
          "[continuous_evaluator]") {
  Measuring measuring;
  measuring.start();
  measuring.give(1, {{"loss", 1}});
  measuring.status.workers.clear();
  measuring.pass(1500ms); // they might come back
  measuring.send(Stop{StopLevel::after_epoch, "enough", true});
  measuring.pass(500ms);
  REQUIRE(measuring.summary->answered());
  CHECK((*measuring.summary)->outcome == Outcome::finished);
  CHECK((*measuring.summary)->reason == "all workers have left");
}

TEST_CASE("evaluation is started once", "[continuous_evaluator]") {
  Measuring measuring;
  measuring.start();
  const auto again = measuring.world.ask<VersionsEvaluated>(measuring.watcher, EvaluateVersions{});
  REQUIRE_FALSE(again);
  CHECK(again.error() == Error::already_running);
  measuring.give(1, {{"loss", 1}});
  CHECK(measuring.rows.size() == 1);
}

TEST_CASE("people see which workers have not synced yet", "[continuous_evaluator][T12]") {
  Measuring measuring;
  measuring.status.workers = {0, 3};
  measuring.start();
  measuring.pass(10s);
  CHECK(measuring.said
        == std::vector<std::string>{
          "waits for the first version of the parameters: no sync yet of worker 0 3"});
}
