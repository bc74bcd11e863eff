#include "messages/checkpoint/found_run.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/several_workers.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

SeveralWorkersOptions in_rounds(const std::string& rule, WorkerId workers, std::uint64_t seed) {
  SeveralWorkersOptions options;
  options.workers = workers;
  options.sync.rule.name = rule;
  options.sync.staleness = Staleness{0};
  if (rule == "easgd")
    options.sync.rule.settings["elasticity"] = 0.25f;
  options.seed = seed;
  return options;
}

void check_same_end(SeveralWorkers& expected, SeveralWorkers& resumed,
                    const std::vector<Finished>& expected_ends,
                    const std::vector<Finished>& resumed_ends) {
  CHECK(resumed.shared() == expected.shared());
  for (std::size_t worker = 0; worker < expected_ends.size(); ++worker) {
    INFO("worker " << worker);
    CHECK(resumed_ends[worker].parameters == expected_ends[worker].parameters);
    CHECK(resumed_ends[worker].position.batches == expected_ends[worker].position.batches);
    CHECK(resumed_ends[worker].position.examples == expected_ends[worker].position.examples);
    CHECK(resumed_ends[worker].totals.loss == expected_ends[worker].totals.loss);
  }
}

Conditions due_after(std::int64_t batches) { return trigger("after_n_batches", Value{batches}); }

} // namespace

TEST_CASE("several workers in rounds resume from a checkpoint to the same bits", "[B45][L8]") {
  const auto rule = GENERATE(as<std::string>{}, "average", "easgd", "downpour", "outer_nesterov",
                             "gradient_average");
  const WorkerId workers = GENERATE(2, 3);
  const std::uint64_t seed = GENERATE(range(0, rounds(4))) + 1;
  const std::int64_t at = GENERATE(1, 6, 11, 23);
  INFO(rule << ", " << workers << " workers, seed " << seed << ", saved at " << at);
  WorkFolder work;
  const auto options = in_rounds(rule, workers, seed);
  SeveralWorkers undisturbed{options, work.path()};
  const auto expected = undisturbed.run();

  SeveralWorkers first{options, work.path()};
  first.save_at(due_after(at));
  first.run();
  auto otherwise = options; // the same bits at any speed of the workers
  otherwise.seed += 100;
  SeveralWorkers second{otherwise, work.path()};
  const auto found = newest_run(work.path());
  CHECK(found.run.trainers.front().position.batches >= static_cast<Step>(at));
  second.restore(found.run);
  check_same_end(undisturbed, second, expected, second.run());
}

TEST_CASE("interrupted workers end together and resume to the same bits", "[B45][L8]") {
  const auto rule = GENERATE(as<std::string>{}, "average", "easgd", "downpour", "outer_nesterov",
                             "gradient_average");
  const std::uint64_t seed = GENERATE(1, 2, 3);
  const auto level = GENERATE(StopLevel::after_batch, StopLevel::after_epoch);
  INFO(rule << ", seed " << seed << ", level " << static_cast<int>(level));
  WorkFolder work;
  const auto options = in_rounds(rule, 2, seed);
  SeveralWorkers undisturbed{options, work.path()};
  const auto expected = undisturbed.run();

  SeveralWorkers first{options, work.path()};
  first.start();
  first.world.pass(9s + 125ms * seed, 125ms);
  first.world.self->send(first.quiescence, Stop{level, "interrupted", true});
  const auto interrupted = first.finish();
  for (const auto& one : interrupted) {
    CHECK(one.outcome == Outcome::interrupted);
    CHECK(one.position.batches < options.batches);
    if (level == StopLevel::after_epoch)
      CHECK(one.position.epochs == interrupted.front().position.epochs);
  }
  SeveralWorkers second{options, work.path()};
  second.restore(first.state());
  check_same_end(undisturbed, second, expected, second.run());
}

TEST_CASE("a checkpoint of free-running workers has each push of a worker once", "[B45][L8]") {
  const auto staleness = GENERATE(Staleness{}, Staleness{1});
  const WorkerId workers = GENERATE(2, 3);
  const std::uint64_t seed = GENERATE(1, 2, 3, 4, 5);
  const std::int64_t at = GENERATE(2, 7, 12);
  INFO("staleness " << to_string(staleness) << ", " << workers << " workers, seed " << seed
                    << ", saved at " << at);
  WorkFolder work;
  auto options = in_rounds("downpour", workers, seed);
  options.sync.staleness = staleness;
  SeveralWorkers several{options, work.path()};
  several.save_at(due_after(at));
  several.run();
  const auto run = newest_run(work.path()).run;
  Step pushes = 0;
  for (const auto& worker : run.shared->workers) {
    const auto batches = run.trainers.at(worker.worker).position.batches;
    const auto syncs = batches / options.every + (batches == options.batches ? 1 : 0); // the rest
    CHECK(worker.journal.back() == syncs);
    pushes += syncs;
  }
  CHECK(run.shared->pushes == pushes);
  SeveralWorkers second{options, work.path()};
  second.restore(run);
  for (const auto& one : second.run())
    CHECK(one.position.batches == options.batches);
}

TEST_CASE("two states requested at the same time are taken in one quiescence", "[B42]") {
  WorkFolder work;
  SeveralWorkers several{in_rounds("average", 2, 1), work.path()};
  several.save_at(Conditions{}
                    .set_trigger("every_n_batches", Value{std::int64_t{11}}, {"a.bin"})
                    .set_trigger("after_n_batches", Value{std::int64_t{11}}, {"b.bin"}));
  several.start();
  several.world.pass(25s, 125ms);
  CHECK(load_run(work.path() / "a.bin") == load_run(work.path() / "b.bin"));
}

TEST_CASE("saving paused workers leaves them paused", "[B42][P15]") {
  WorkFolder work;
  SeveralWorkers several{in_rounds("average", 2, 3), work.path()};
  several.start();
  several.world.pass(5s, 125ms);
  for (const auto& trainer : several.trainers)
    several.world.self->send(trainer, Pause{});
  several.world.pass(10s, 125ms);
  REQUIRE(several.world.ask<GateAnswer>(several.checkpoint, AskGate{}));
  several.world.pass(10s, 125ms);
  const auto run = load_run(work.path() / "checkpoint.bin");
  several.world.pass(10s, 125ms);
  for (WorkerId worker = 0; worker < 2; ++worker) {
    CHECK(several.status(worker).phase == "paused");
    CHECK(several.status(worker).position.batches == run.trainers.at(worker).position.batches);
  }
}
