// What each of several workers loads: its own or the first worker's state, the optimizer, the log.
#include "tests/support/load_stage.hpp"

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

StageOptions of_worker(WorkerId worker) {
  StageOptions options;
  options.worker = worker;
  options.toy.momentum = 0.5;
  options.toy.learning_rate = 0; // loaded values do not change
  return options;
}

/// A saved run of two workers: w is 1 and 2, the steps 10 and 20, the momentum is 3 and 4.
std::string save_two(const WorkFolder& work) {
  auto run = run_at(4);
  run.trainers.push_back(run_at(5).trainers.front());
  auto number = 0.f;
  for (auto& trainer : run.trainers) {
    ++number;
    trainer.parameters.values = Block::copy_of(Floats{number});
    trainer.optimizer_steps = static_cast<Step>(10 * number);
    trainer.optimizer_slots = {{"momentum", Block::copy_of(Floats{number + 2})}};
  }
  const auto path = (work.path() / "x.bin").string();
  save_run(path, run);
  return path;
}

/// The worker's optimizer state before its first batch.
std::shared_ptr<std::vector<SavedSlot>> slots_at_start(LoadStage& load) {
  const auto slots = std::make_shared<std::vector<SavedSlot>>();
  const auto look = [slots](const LoopEvent& event) {
    *slots = event.optimizer_slots;
    return GateAnswer{};
  };
  load.stage.gate("slots", trigger("before_batch"),
                  recording_gate(load.stage.world, new_trace(), "", look), Shows::optimizer);
  return slots;
}

Write logged_row(WorkerId worker, Step batch) {
  return {{worker, batch}, batch / 3, 0, {{"copied", Value{true}}}, ""};
}

} // namespace

TEST_CASE("without `position` all workers start with the first worker's parameters and optimizer",
          "[B44]") {
  WorkFolder work;
  const auto path = save_two(work);
  const WorkerId worker = GENERATE(0, 1, 2); // also a worker that the saved run did not have
  LoadStage load{{.path = path, .optimizer = true}, of_worker(worker)};
  const auto slots = slots_at_start(load);
  REQUIRE(load.stage.run().outcome == Outcome::finished);
  CHECK(*load.seen == Floats{1});
  CHECK(*slots == std::vector<SavedSlot>{{"momentum", Block::copy_of(Floats{3})}});
  CHECK(load.saved().optimizer_steps == 11);
  CHECK(load.saved().position.batches == 1);
}

TEST_CASE("with `position` each worker continues with its own parameters and optimizer", "[B44]") {
  WorkFolder work;
  const auto path = save_two(work);
  LoadStage load{{.path = path, .optimizer = true, .position = true}, of_worker(1)};
  const auto slots = slots_at_start(load);
  load.stage.finish_after(6);
  REQUIRE(load.stage.run().outcome == Outcome::finished);
  CHECK(*slots == std::vector<SavedSlot>{{"momentum", Block::copy_of(Floats{4})}});
  CHECK(load.saved().optimizer_steps == 21);
  CHECK(load.saved().parameters.values == Block::copy_of(Floats{2}));
  CHECK(load.saved().position.batches == 6);
}

TEST_CASE("without `optimizer` the optimizer starts fresh", "[B44]") {
  WorkFolder work;
  const auto path = save_two(work);
  const auto position = GENERATE(false, true);
  LoadStage load{{.path = path, .position = position}, of_worker(1)};
  load.stage.finish_after(6);
  REQUIRE(load.stage.run().outcome == Outcome::finished);
  CHECK(load.saved().optimizer_steps == 1);
}

TEST_CASE("an optimizer without slots continues counting its steps from a position", "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  auto run = run_at(4);
  run.trainers.front().optimizer_steps = 40;
  save_run(path, run);
  LoadStage load{{.path = path, .optimizer = true, .position = true}};
  load.stage.finish_after(5);
  REQUIRE(load.stage.run().outcome == Outcome::finished);
  CHECK(load.saved().optimizer_steps == 41);
}

TEST_CASE("any worker continues at the position in a file of one worker", "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  save_run(path, run_at(4));
  LoadStage load{{.path = path, .position = true}, of_worker(3)};
  load.stage.finish_after(5);
  CHECK(load.stage.run().position.batches == 5);
  CHECK(load.stage.problem->asked().size() == 10);
}

TEST_CASE("an optimizer of another model is refused, but not its parameters alone", "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  save_run(path, run_of(layout_of({{"w", {1}}, {"more", {2}}})));
  CHECK(LoadStage({.path = path}).stage.run().outcome == Outcome::finished);
  CHECK_THAT(LoadStage({.path = path, .optimizer = true}).stage.run().error,
             Contains("the optimizer's state needs the same parameters"));
}

TEST_CASE("a worker copies its own rows of the log, up to its position", "[B44][B46]") {
  WorkFolder work;
  const auto path = save_two(work);
  const auto rows = [&](const std::string& from, const TakeLoggedRow& take) {
    CHECK(from == path);
    for (const Step batch : {1, 4, 5, 6})
      for (const WorkerId worker : {0, 1})
        take(logged_row(worker, batch));
  };
  LoadStage load{{.path = path, .position = true, .log = true}, of_worker(1), rows};
  load.stage.finish_after(6);
  REQUIRE(load.stage.run().outcome == Outcome::finished);
  for (const Step batch : {1, 4, 5, 6})
    CHECK(load.stage.row(batch).contains("copied") == (batch < 6));
  const auto of_first = load.stage.world.ask<Rows>(load.stage.logger, Query{0, 0, 9});
  REQUIRE(of_first);
  CHECK(of_first->rows.empty());
}

TEST_CASE("a log that cannot be read ends training with a message", "[B44][B46]") {
  WorkFolder work;
  const auto path = save_two(work);
  const auto torn
    = [](const std::string&, const TakeLoggedRow&) { throw std::runtime_error("it is torn"); };
  CHECK_THAT(
    LoadStage({.path = path, .position = true, .log = true}, of_worker(1), torn).stage.run().error,
    Contains("the log of '" + path + "' cannot be copied: it is torn"));
}

TEST_CASE("a position between two epochs is accepted, one in no epoch is refused", "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  auto run = run_at(9);
  auto& saved = run.trainers.front();
  saved.position.epochs = 2; // all its batches are done, but it is not closed
  saved.epoch_started = true;
  save_run(path, run);
  LoadStage at_end{{.path = path, .position = true}};
  at_end.stage.finish_after(10);
  const auto finished = at_end.stage.run();
  CHECK(finished.error.empty());
  CHECK(finished.position.epochs == 3);

  saved.cursor = saved.position.batches = 10;
  save_run(path, run);
  CHECK_THAT(LoadStage({.path = path, .position = true}).stage.run().error,
             Contains("batch 10 after 2 epochs"));
  saved.cursor = saved.position.batches = 7;
  saved.epoch_started = false;
  save_run(path, run);
  CHECK_THAT(LoadStage({.path = path, .position = true}).stage.run().error,
             Contains("batch 7 after 2 epochs"));
}

TEST_CASE("names without a counterpart are listed, at most the first five", "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  std::vector<std::pair<std::string, Shape>> others;
  for (const auto* name : {"a", "b", "c", "d", "e", "f", "g"})
    others.push_back({name, {1}});
  save_run(path, run_of(layout_of(others)));
  LoadStage load{{.path = path}};
  load.stage.run();
  CHECK_THAT(load.stage.heard->texts(Level::warning).at(0),
             Contains("it lacks w; it alone has a, b, c, d, e and 2 more"));
}

TEST_CASE("transposing is advised only if it helps", "[B44]") {
  CHECK_THROWS_WITH(
    load_by_name(layout_of({{"a", {2, 3}}}), Block{6}, layout_of({{"a", {3, 4}}}), Block{12}),
    !Contains("transpose"));
}
