#include "tests/support/evaluation_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

std::int64_t whole(const Write& row, const std::string& record) {
  return std::get<std::int64_t>(row.records.at(record));
}

} // namespace

TEST_CASE("of versions in quick succession the newest is measured, the others are counted",
          "[continuous_evaluator][T22]") {
  Watching watching{{}, true};
  watching.join(0);
  watching.push(0, 1);
  watching.stage.pass(500ms);
  REQUIRE(watching.slow->asked == std::vector<Version>{1});
  for (auto w : {2.f, 3.f, 4.f})
    watching.push(0, w);
  watching.stage.pass(3s);
  CHECK(watching.slow->asked.size() == 1); // one after the other
  watching.answer();
  REQUIRE(watching.slow->asked == std::vector<Version>{1, 4});
  watching.answer();
  watching.stage.pass(10s);
  CHECK(watching.slow->asked.size() == 2); // never the same again
  const auto& rows = *watching.rows;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].row.batch == 1);
  CHECK(whole(rows[0], "skipped_versions") == 0);
  CHECK(whole(rows[1], "evaluated_version") == 4);
  CHECK(whole(rows[1], "skipped_versions") == 2);
  CHECK(rows[1].records.at("validation_loss") == Value{0.25});
}

TEST_CASE("it waits for the first version, and reports that", "[continuous_evaluator][T22][T12]") {
  Watching watching;
  CHECK(watching.said->empty());
  watching.stage.pass(5s);
  CHECK(watching.rows->empty());
  REQUIRE(watching.said->size() == 1);
  CHECK(watching.said->front().find("no worker has joined yet") != std::string::npos);
  watching.join(0);
  watching.stage.pass(5s);
  CHECK(watching.rows->empty()); // version 0 is not measured and does not count as skipped
  watching.push(0, 1);
  watching.stage.pass(500ms);
  CHECK(watching.rows->size() == 1);
  CHECK_FALSE(watching.summary->answered());
}

TEST_CASE("it ends at once if it was stopped before its start", "[continuous_evaluator][T22]") {
  Watching watching;
  const auto interrupt = GENERATE(true, false);
  auto other = watching.stage.world.keep(spawn_continuous_evaluator(
    watching.stage.world.system, watching.remote.handle, watching.measurer, watching.logger,
    {.worker = 3, .layout = ToyModel{}.layout()}));
  watching.stage.world.self->send(other, Stop{StopLevel::after_batch, "too soon", interrupt});
  const Pending<VersionsEvaluated> ended{watching.stage.world, other, EvaluateVersions{}};
  watching.stage.pass(5s);
  REQUIRE(ended.answered());
  CHECK(ended->reason == "too soon");
  CHECK(ended->outcome == (interrupt ? Outcome::interrupted : Outcome::finished));
}

TEST_CASE("it measures the whole section like an evaluator in the process",
          "[continuous_evaluator][T20]") {
  Watching watching{{.section = Section::train}};
  watching.join(0);
  watching.join(1);
  watching.push(0, 1.5f);
  watching.stage.pass(500ms);
  const auto direct = watching.stage.world.ask<Evaluated>(
    watching.measurer, Evaluate{{1, block_with(1.5f)}, Section::train, 0});
  REQUIRE(direct);
  CHECK(direct->examples == 30);
  const auto& rows = *watching.rows;
  REQUIRE(rows.size() == 1);
  CHECK(rows.front().records.at("train_loss") == Value{direct->metrics.front().value});
}

TEST_CASE("it ends with the workers, after measuring the final version",
          "[continuous_evaluator][T22]") {
  Watching watching{{.queue = {.every = 100}}, true};
  watching.join(0);
  watching.join(1);
  watching.push(0, 1);
  watching.stage.pass(2s);
  watching.answer();
  watching.push(1, 2);
  watching.push(1, 3);
  watching.leave(0);
  watching.stage.pass(10s);
  CHECK(watching.slow->asked == std::vector<Version>{1});
  watching.leave(1);
  watching.stage.pass(5s);
  REQUIRE(watching.slow->asked == std::vector<Version>{1, 3});
  CHECK_FALSE(watching.summary->answered());
  watching.answer();
  REQUIRE(watching.summary->answered());
  const auto& summary = **watching.summary;
  CHECK(summary.outcome == Outcome::finished);
  CHECK(summary.reason == "all workers have left");
  CHECK(summary.measured == 2);
  CHECK(summary.skipped == 1);
  CHECK(summary.best.version == 3);
  CHECK(summary.last.version == 3);
  CHECK(
    watching.stage.world.ask<HolderStatus>(watching.holder(), GetHolderStatus{})->readers.empty());
}

TEST_CASE("the best version is the one with the least loss, not the last",
          "[continuous_evaluator]") {
  Watching watching;
  watching.join(0);
  for (auto w : {1.f, 1.9f, 1.5f}) {
    watching.push(0, w);
    watching.stage.pass(500ms);
  }
  watching.leave(0);
  watching.stage.pass(5s);
  REQUIRE(watching.summary->answered());
  CHECK((*watching.summary)->best.version == 2);
  CHECK((*watching.summary)->last.version == 3);
}

TEST_CASE("without a new version it ends after the idle limit, and not before",
          "[continuous_evaluator][T23]") {
  Watching watching{{.queue = {.idle_limit = 30}}};
  watching.join(0);
  watching.stage.pass(10s);
  watching.push(0, 1);
  watching.stage.pass(29s);
  CHECK_FALSE(watching.summary->answered());
  watching.stage.pass(2s);
  REQUIRE(watching.summary->answered());
  CHECK((*watching.summary)->outcome == Outcome::finished);
  CHECK((*watching.summary)->reason.find("no new version for 30") == 0);
}

TEST_CASE("no round and no worker waits for it, and it is never main",
          "[continuous_evaluator][T9]") {
  Watching watching{{}, true};
  watching.join(0);
  const auto status = *watching.stage.world.ask<HolderStatus>(watching.holder(), GetHolderStatus{});
  CHECK(status.workers == std::vector<WorkerId>{0});
  CHECK(status.readers == std::vector<WorkerId>{2});
  CHECK_FALSE(status.journal.contains(2));
  watching.stage.cut(watching.remote); // it is gone without a Leave
  watching.stage.pass(10s);
  CHECK(watching.stage.world.ask<HolderStatus>(watching.holder(), GetHolderStatus{})->lost.empty());
}

TEST_CASE("a soft stop measures the newest version first", "[continuous_evaluator]") {
  Watching watching{{.queue = {.every = 100}}};
  watching.join(0);
  watching.push(0, 1);
  watching.stage.pass(2s);
  watching.push(0, 2);
  watching.stage.world.self->send(watching.watcher, Stop{StopLevel::after_epoch, "enough", true});
  watching.stage.pass(500ms);
  REQUIRE(watching.summary->answered());
  CHECK((*watching.summary)->outcome == Outcome::interrupted);
  CHECK((*watching.summary)->reason == "enough");
  CHECK((*watching.summary)->last.version == 2);
}

TEST_CASE("an immediate stop ends it during a measurement", "[continuous_evaluator]") {
  Watching watching{{}, true};
  watching.join(0);
  watching.push(0, 1);
  watching.stage.pass(500ms);
  REQUIRE(watching.slow->waiting.size() == 1);
  watching.stage.world.self->send(watching.watcher, Stop{StopLevel::now, "enough", true});
  watching.stage.pass(500ms);
  REQUIRE(watching.summary->answered());
  CHECK((*watching.summary)->measured == 0);
}

TEST_CASE("a holder that is unreachable for a while is waited for, but not for too long",
          "[continuous_evaluator]") {
  Watching watching;
  watching.join(0);
  watching.push(0, 1);
  watching.stage.pass(500ms);
  watching.stage.cut(watching.remote);
  watching.stage.pass(30s);
  CHECK_FALSE(watching.summary->answered());
  watching.push(0, 2);
  watching.stage.mend(watching.remote);
  watching.stage.pass(10s);
  CHECK(watching.rows->size() == 2);
  watching.stage.cut(watching.remote);
  watching.stage.pass(65s);
  REQUIRE(watching.summary->answered());
  CHECK((*watching.summary)->outcome == Outcome::failed);
  CHECK((*watching.summary)->unavailable);
  CHECK((*watching.summary)->measured == 2);
  // cure: ); start the evaluator again once it is back
  Watching again;
  again.join(0);
  again.push(0, 1);
  again.stage.pass(500ms);
  CHECK(again.rows->size() == 1);
}

TEST_CASE("a cluster with another model refuses it with a sentence", "[continuous_evaluator]") {
  Layout other;
  other.add("w", {3});
  RemoteStage stage;
  Join join;
  join.layout = other;
  REQUIRE(stage.world.ask<Joined>(stage.holders.front(), join));
  RemoteHolderOptions remote;
  remote.worker = 1;
  remote.is_reader = true;
  ContinuousEvaluatorOptions options;
  options.worker = 1;
  options.layout = ToyModel{}.layout();
  const auto watcher = stage.world.keep(spawn_continuous_evaluator(
    stage.world.system, stage.remote(remote).handle,
    stage.world.keep(spawn_evaluator(stage.world.system, std::make_shared<ToyProblem>(30),
                                     std::make_shared<ToyModel>())),
    stage.logger(), options));
  const Pending<VersionsEvaluated> summary{stage.world, watcher, EvaluateVersions{}};
  stage.pass(1s);
  REQUIRE(summary.answered());
  CHECK(summary->outcome == Outcome::failed);
  CHECK_FALSE(summary->unavailable);
  CHECK(summary->reason.find("another model") != std::string::npos);
}
