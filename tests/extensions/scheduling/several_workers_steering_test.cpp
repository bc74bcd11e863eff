// Several workers of one process are paused and ended where none of them waits for another.
#include "actors/control/control.hpp"
#include "tests/support/several_workers.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

SeveralWorkersOptions sharing(const std::string& rule, Staleness staleness, std::uint64_t seed) {
  SeveralWorkersOptions options;
  options.sync.rule.name = rule;
  options.sync.staleness = staleness;
  options.seed = seed;
  return options;
}

/// Workers and their control.
struct SteeredWorkers {
  SteeredWorkers(const SeveralWorkersOptions& options, const std::filesystem::path& folder)
    : several{options, folder} {
    ControlOptions steering;
    steering.token = "secret";
    steering.trainers = several.trainers;
    steering.logger = several.logger;
    steering.quiescence = several.quiescence;
    control = several.world.keep(spawn_control(several.world.system, steering));
  }

  void act(const std::string& verb, const std::vector<std::string>& words = {}) {
    const Pending<ControlAnswer> answer{several.world, control,
                                        ControlRequest{"secret", verb, words}};
    several.world.pass(30s, 125ms);
    REQUIRE(answer.answered());
    CHECK(answer->ok);
  }

  void check_paused() {
    for (WorkerId worker = 0; worker < several.trainers.size(); ++worker) {
      const auto status = several.status(worker);
      CHECK(status.phase == "paused");
      CHECK(status.waiting_for.empty());
    }
  }

  void check_resumes_as(const std::vector<Finished>& expected) {
    const auto ends = several.finish();
    for (std::size_t worker = 0; worker < expected.size(); ++worker) {
      CHECK(ends[worker].error.empty());
      CHECK(ends[worker].parameters == expected[worker].parameters);
      CHECK(ends[worker].position.batches == expected[worker].position.batches);
    }
  }

  SeveralWorkers several;
  RunControl control;
};

} // namespace

TEST_CASE("paused workers do not wait for each other, and resume to the same bits", "[P15][L8]") {
  const auto rule = GENERATE(as<std::string>{}, "average", "gradient_average");
  const std::uint64_t seed = GENERATE(1, 2, 3, 4);
  INFO(rule << ", seed " << seed);
  WorkFolder work;
  const auto options = sharing(rule, Staleness{0}, seed);
  const auto expected = SeveralWorkers{options, work.path()}.run();
  SteeredWorkers run{options, work.path()};
  run.several.start();
  run.several.world.pass(3s + 625ms * seed, 125ms);
  run.act("pause");
  run.check_paused();
  run.several.world.pass(10min, 1s); // longer than any wait for a round
  run.check_paused();
  run.act("resume");
  run.check_resumes_as(expected);
}

TEST_CASE("each advance of several workers ends where none of them waits for another",
          "[P15][L8]") {
  const std::uint64_t seed = GENERATE(1, 2, 3, 4);
  INFO("seed " << seed);
  WorkFolder work;
  const auto options = sharing("average", Staleness{0}, seed);
  const auto expected = SeveralWorkers{options, work.path()}.run();
  SteeredWorkers run{options, work.path()};
  run.several.start();
  run.several.world.pass(3s + 625ms * seed, 125ms);
  run.act("pause");
  for (auto step = 0; step < 4; ++step) {
    const auto before = run.several.status(1).position.batches;
    run.act("step");
    run.several.world.pass(2min, 1s);
    run.check_paused();
    CHECK(run.several.status(1).position.batches > before);
  }
  run.act("resume");
  run.check_resumes_as(expected);
}

TEST_CASE("workers with bounded staleness are paused and advanced, too", "[P15][L8]") {
  const std::uint64_t seed = GENERATE(1, 2, 3, 4, 5, 6);
  INFO("seed " << seed);
  WorkFolder work;
  SteeredWorkers run{sharing("downpour", Staleness{1}, seed), work.path()};
  run.several.start();
  run.several.world.pass(9s + 500ms * seed, 125ms);
  run.act("pause");
  run.several.world.pass(10min, 1s);
  run.check_paused();
  run.act("step", {"4"});
  run.several.world.pass(10min, 1s);
  run.check_paused();
  run.act("resume");
  for (const auto& one : run.several.finish())
    CHECK(one.outcome == Outcome::finished);
}

TEST_CASE("a worker resumed before all have paused is not paused later", "[P15][quiescence]") {
  WorkFolder work;
  SeveralWorkers several{sharing("average", Staleness{0}, 1), work.path()};
  several.start();
  several.world.pass(3s, 125ms);
  const Pending<QuiescenceReached> paused{several.world, several.quiescence, Pause{}};
  several.world.self->send(several.quiescence, Resume{});
  several.world.run();
  CHECK(paused.answered());
  for (const auto& one : several.finish())
    CHECK(one.position.batches == 23);
}

TEST_CASE("a stop ends paused workers together", "[P15][quiescence]") {
  WorkFolder work;
  SeveralWorkers several{sharing("average", Staleness{0}, 1), work.path()};
  several.start();
  several.world.pass(3s, 125ms);
  const Pending<QuiescenceReached> paused{several.world, several.quiescence, Pause{}};
  several.world.pass(30s, 125ms);
  REQUIRE(paused.answered());
  several.world.self->send(several.quiescence, Stop{StopLevel::after_batch, "enough", true});
  for (const auto& one : several.finish())
    CHECK(one.causes == std::vector<std::string>{"enough"});
}

TEST_CASE("when a main extension ends the run, all workers end together", "[B41][L8]") {
  const auto staleness = GENERATE(Staleness{0}, Staleness{1}, Staleness{});
  const std::uint64_t seed = GENERATE(1, 2, 3, 4);
  const std::int64_t at = GENERATE(1, 6, 8);
  INFO("staleness " << to_string(staleness) << ", seed " << seed << ", at " << at);
  WorkFolder work;
  const auto options = sharing("average", staleness, seed);
  SeveralWorkers several{options, work.path()};
  several.end_all_at(at, "it is good enough");
  const auto ends = several.run();
  for (const auto& one : ends) {
    CHECK(one.outcome == Outcome::finished);
    CHECK(one.causes == std::vector<std::string>{"it is good enough"});
    if (staleness.synchronous())
      CHECK(one.position.batches / options.every == ends.front().position.batches / options.every);
  }
  CHECK(ends.front().position.batches >= static_cast<Step>(at));
  CHECK(ends.front().position.batches <= static_cast<Step>(at) + 2 * options.every);
  // No worker has trained on after the others: the last one to sync at its end has the shared
  // parameters.
  CHECK(std::any_of(ends.begin(), ends.end(), [&](const auto& one) {
    return one.position.batches < options.every || one.parameters.values == several.shared();
  }));
}

TEST_CASE("a state saved where a main extension ends the run has also ended", "[B41][B45][L8]") {
  WorkFolder work;
  const auto options = sharing("average", Staleness{0}, 1);
  SeveralWorkers several{options, work.path()};
  several.end_all_at(8, "it is good enough");
  several.save_at(trigger("after_n_batches", Value{std::int64_t{8}}));
  const auto ends = several.run();
  const auto run = load_run(work.path() / "checkpoint.bin");
  SeveralWorkers second{options, work.path()};
  second.restore(run);
  for (const auto& one : second.run()) {
    CHECK(one.position.batches == ends.at(one.worker).position.batches);
    CHECK(one.causes == std::vector<std::string>{"it is good enough"});
  }
}

TEST_CASE("with `on_failure` workers whose state cannot be written end together", "[B42][L8]") {
  const std::uint64_t seed = GENERATE(1, 2, 3, 4, 5, 6);
  INFO("seed " << seed);
  WorkFolder work;
  std::ofstream{work.path() / "file"} << "no folder";
  auto options = sharing("average", Staleness{0}, seed);
  options.checkpoint.on_failure = OnLoss::finish;
  SeveralWorkers several{options, work.path() / "file"};
  several.save_at(trigger("after_n_batches", Value{std::int64_t{7}}));
  const auto ends = several.run();
  for (const auto& one : ends) {
    CHECK(one.outcome == Outcome::interrupted);
    REQUIRE(one.causes.size() == 1);
    CHECK_THAT(one.causes.front(), Catch::Contains("could not be written"));
    CHECK(one.position.batches / options.every == ends.front().position.batches / options.every);
  }
}
