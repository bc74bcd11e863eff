#include "base/files/durable_file.hpp"
#include "messages/loop/epoch_size.hpp"
#include "model/formats/npz.hpp"
#include "tests/support/load_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

std::string toy_parameter() {
  return toy_learner(std::make_shared<ToyProblem>(2))->layout().parameters().front().name;
}

} // namespace

TEST_CASE("parameters are loaded by name, and those without a counterpart are named and kept",
          "[B44]") {
  const auto here = layout_of({{"a", {2}}, {"b", {1}}}),
             there = layout_of({{"c", {3}}, {"a", {2}}});
  const auto loaded = load_by_name(here, Block::copy_of(Floats{9, 9, 8}), there,
                                   run_of(there).trainers.at(0).parameters.values);
  CHECK(loaded.values == Block::copy_of(Floats{4, 5, 8}));
  CHECK(loaded.missing == std::vector<std::string>{"b"});
  CHECK(loaded.unknown == std::vector<std::string>{"c"});
}

TEST_CASE("a parameter of another shape is refused with both shapes", "[B44]") {
  const auto here = layout_of({{"a", {2, 3}}}), there = layout_of({{"a", {3, 2}}});
  CHECK_THROWS_WITH(load_by_name(here, Block{6}, there, Block{6}),
                    Catch::Contains("'a'") && Catch::Contains("[3, 2] there")
                      && Catch::Contains("[2, 3] here"));
}

TEST_CASE("training starts with the loaded parameters, and the row has their path", "[B44]") {
  WorkFolder work;
  const auto file = (work.path() / "checkpoint.bin").string();
  save_run(file, run_of(layout_of({{toy_parameter(), {1}}})));
  const auto path
    = GENERATE(false, true) ? work.path().string() : file; // a folder: its newest state
  LoadStage stage{{.path = path}};
  const auto finished = stage.stage.run();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(*stage.seen == Floats{1});
  CHECK(text_in(stage.stage.row(0), "loaded_from") == path);
  CHECK(finished.position.batches == 1); // its position is not loaded
}

TEST_CASE("checkpoints with other names are found by the given names", "[B43][B44]") {
  WorkFolder work;
  save_run(work.path() / "mine.bin", run_of(layout_of({{toy_parameter(), {1}}})));
  const LoadOptions options{.path = work.path().string()};
  const auto named = [&work](const std::filesystem::path& folder) {
    CHECK(folder == work.path());
    return std::vector<std::string>{"mine.bin"};
  };
  LoadStage stage{options, {}, {}, named};
  CHECK(stage.stage.run().outcome == Outcome::finished);
  CHECK(*stage.seen == Floats{1});
  LoadStage unknown{options};
  CHECK(unknown.stage.run().outcome == Outcome::failed);
}

TEST_CASE("training starts with parameters of another program", "[B44]") {
  WorkFolder work;
  NamedParameters weights{layout_of({{toy_parameter(), {1}}}), Block::copy_of(Floats{2.5f}), {}};
  std::string bytes;
  write_npz([&bytes](const void* data,
                     std::size_t size) { bytes.append(static_cast<const char*>(data), size); },
            weights);
  const auto path = (work.path() / "weights.npz").string();
  write_file(path, bytes);
  LoadStage stage{{.path = path, .strict = true}};
  CHECK(stage.stage.run().outcome == Outcome::finished);
  CHECK(*stage.seen == Floats{2.5f});
  CHECK(text_in(stage.stage.row(0), "loaded_from") == path);
}

TEST_CASE("a parameter file has no position or optimizer state", "[B44]") {
  for (const auto& options : {LoadOptions{.path = "w.npz", .position = true},
                              LoadOptions{.path = "w.safetensors", .optimizer = true}})
    CHECK_THROWS_WITH(LoadStage{options}, Catch::Contains("neither the optimizer's state"));
}

TEST_CASE("a transposed weight is refused with the cure", "[B44]") {
  const auto here = layout_of({{"a", {2, 3}}}), there = layout_of({{"a", {3, 2}}});
  CHECK_THROWS_WITH(load_by_name(here, Block{6}, there, Block{6}), Catch::Contains("transpose it"));
}

TEST_CASE("a loaded optimizer continues counting its steps", "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  auto run = run_of(layout_of({{toy_parameter(), {1}}}));
  run.trainers.front().optimizer_steps = 40;
  run.trainers.front().optimizer_slots = {{"momentum", Block::copy_of(Floats{3})}};
  save_run(path, run);
  StageOptions with_momentum;
  with_momentum.toy.momentum = 0.5;
  LoadStage stage{{.path = path, .optimizer = true}, with_momentum};
  REQUIRE(stage.stage.run().outcome == Outcome::finished);
  const auto saved = stage.stage.world.ask<SavedTrainer>(stage.stage.trainer, Save{});
  REQUIRE(saved);
  CHECK(saved->position.batches == 1);
  CHECK(saved->optimizer_steps == 41);
}

TEST_CASE("with `position` training continues at the saved run's position", "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  save_run(path, run_at(7));
  LoadStage stage{{.path = path, .position = true}};
  const auto callbacks = std::make_shared<std::vector<std::string>>();
  const auto note = [callbacks](const LoopEvent& event) {
    callbacks->push_back(to_string(event.callback) + " " + std::to_string(event.position.batches));
    return GateAnswer{};
  };
  stage.stage.gate("look", every_callback(),
                   recording_gate(stage.stage.world, new_trace(), "", note));
  stage.stage.finish_after(9);
  const auto finished = stage.stage.run();
  CHECK(finished.position.batches == 9);
  CHECK(finished.position.epochs == 2); // the run ended before after_epoch
  CHECK(finished.position.seconds == Approx(102));
  CHECK(finished.totals.batches == 2); // running sums restart
  CHECK(stage.stage.problem->asked().front() == 10);
  CHECK(stage.stage.problem->asked().size() == 20);
  CHECK(*callbacks
        == std::vector<std::string>{"before_training 7", "on_resumption 7", "before_batch 7",
                                    "after_batch 8", "before_batch 8", "after_batch 9",
                                    "after_training 9"});
  CHECK(text_in(stage.stage.row(7), "loaded_from") == path);
}

TEST_CASE("a condition before the loaded position is named in a warning", "[B20][B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  save_run(path, run_at(6));
  LoadStage stage{{.path = path, .position = true}}; // it ends after one batch, which has passed
  stage.stage.finish_after(7);
  CHECK(stage.stage.run().position.batches == 7);
  REQUIRE(stage.stage.heard->texts(Level::warning).size() == 1);
  CHECK_THAT(stage.stage.heard->texts(Level::warning).front(),
             Catch::Contains("finish after 1") && Catch::Contains("6"));
}

TEST_CASE("a position in the middle of an epoch of another length ends training with a message",
          "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  auto run = run_at(7);
  run.trainers.front().epoch_size = {3, 25}; // of 30 here
  save_run(path, run);
  CHECK_THAT(LoadStage({.path = path, .position = true}).stage.run().error,
             Catch::Contains("3 batches (25 examples)")
               && Catch::Contains("3 batches (30 examples)"));
}

TEST_CASE("if the newest state of a folder is damaged, a warning names the loaded one", "[B44]") {
  WorkFolder work;
  const auto newest = work.path() / "checkpoint.bin", older = work.path() / "checkpoint.1.bin";
  save_run(older, run_of(layout_of({{toy_parameter(), {1}}})));
  save_run(newest, run_at(7));
  auto bytes = contents(newest);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream{newest, std::ios::binary} << bytes;
  LoadStage stage{{.path = work.path().string()}};
  CHECK(stage.stage.run().outcome == Outcome::finished);
  const auto warnings = stage.stage.heard->texts(Level::warning);
  REQUIRE(warnings.size() == 2);
  CHECK_THAT(warnings[0], Catch::Contains("checkpoint.bin' is damaged"));
  CHECK(warnings[1] == "the newest intact one is used: " + older.string());
}

TEST_CASE("a position that does not fit the data ends training with a message", "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  auto run = run_at(7);
  run.trainers.front().position.epochs = 1; // 6 or more batches an epoch
  save_run(path, run);
  CHECK_THAT(LoadStage({.path = path, .position = true}).stage.run().error,
             Catch::Contains("batch 7 after 1 epochs") && Catch::Contains("3 batches each"));
  save_run(path, run_at(6));
  StageOptions short_run;
  short_run.epochs = 2;
  CHECK_THAT(LoadStage({.path = path, .position = true}, short_run).stage.run().error,
             Catch::Contains("2 epochs of 2") && Catch::Contains("training.epochs"));
}

TEST_CASE("each worker takes its own position, and a missing one is refused", "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  auto run = run_at(7);
  run.trainers.push_back(run_at(4).trainers.front());
  save_run(path, run);
  StageOptions second;
  second.worker = 1;
  LoadStage stage{{.path = path, .position = true}, second};
  stage.stage.finish_after(5);
  CHECK(stage.stage.run().position.batches == 5);
  StageOptions third;
  third.worker = 2;
  CHECK_THAT(LoadStage({.path = path, .position = true}, third).stage.run().error,
             Catch::Contains("2 workers, none of worker 2"));
}

TEST_CASE("a missing file ends training, or causes a warning if it is optional", "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "none.bin").string();
  LoadStage lenient{{.path = path, .optional = true}};
  CHECK(lenient.stage.run().outcome == Outcome::finished);
  REQUIRE(lenient.stage.heard->texts(Level::warning).size() == 1);
  CHECK_THAT(lenient.stage.heard->texts(Level::warning).front(), Catch::Contains(path));
  LoadStage strict{{.path = path}};
  const auto finished = strict.stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error, Catch::Contains(path));
}

TEST_CASE("a strict load requires the same names on both sides", "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  save_run(path, run_of(layout_of({{toy_parameter(), {1}}, {"more", {2}}})));
  LoadStage lenient{{.path = path}};
  CHECK(lenient.stage.run().outcome == Outcome::finished);
  CHECK_THAT(lenient.stage.heard->texts(Level::warning).at(0), Catch::Contains("more"));
  LoadStage strict{{.path = path, .strict = true}};
  CHECK_THAT(strict.stage.run().error, Catch::Contains("more"));
}

TEST_CASE("a damaged file ends training with a message", "[B44]") {
  WorkFolder work;
  const auto path = (work.path() / "x.bin").string();
  std::ofstream{path} << "troupe saved run\nbut no more of it, whatever one might have hoped";
  LoadStage stage{{.path = path}};
  const auto finished = stage.stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error, Catch::Contains(path));
}

TEST_CASE("a load without a path, or with a position without a trainer, is refused", "[B44]") {
  DeterministicSystem world;
  CHECK_THROWS_WITH(spawn_load(world.system, {}, {}, {}), Catch::Contains("path"));
  CHECK_THROWS_WITH(spawn_load(world.system, {.path = "x", .position = true}, {}, {}),
                    Catch::Contains("trainer"));
  // cure: the trainer that continues there; give it
  Stage stage;
  CHECK_NOTHROW(stage.world.keep(spawn_load(stage.world.system, {.path = "x", .position = true}, {},
                                            stage.logger, stage.trainer)));
  CHECK_THROWS_WITH(spawn_load(world.system, {.path = "x", .log = true}, {}, {}),
                    Catch::Contains("load.position"));
  const LoadOptions with_log{.path = "x", .position = true, .log = true};
  CHECK_THROWS_WITH(spawn_load(stage.world.system, with_log, {}, stage.logger, stage.trainer),
                    Catch::Contains("needs a reader of the log"));
  // cure: a reader of the log; give it
  CHECK_NOTHROW(
    stage.world.keep(spawn_load(stage.world.system, with_log, {}, stage.logger, stage.trainer,
                                [](const std::string&, const std::function<void(Write)>&) {})));
}

TEST_CASE("a checkpoint is loaded once, before the first step, and not again after a recovery",
          "[T18]") {
  WorkFolder work;
  const auto path = (work.path() / "checkpoint.bin").string();
  save_run(path, run_of(layout_of({{toy_parameter(), {1}}})));
  LoadStage first{{.path = path}};
  first.stage.run();
  CHECK(*first.seen == Floats{1});
  const auto saved = first.stage.world.ask<SavedTrainer>(first.stage.trainer, Save{});
  REQUIRE(saved);
  const auto trained = saved->parameters.values.view()[0];
  REQUIRE(trained != 1);

  LoadStage recovered{{.path = path}};
  REQUIRE(recovered.stage.world.ask<Restored>(recovered.stage.trainer, Restore{*saved}));
  recovered.stage.gate("look", trigger("on_resumption"),
                       recording_gate(recovered.stage.world, new_trace(), "",
                                      [seen = recovered.seen](const LoopEvent& event) {
                                        seen->push_back(event.parameters.values.view()[0]);
                                        return GateAnswer{};
                                      }),
                       Shows::parameters);
  recovered.stage.finish_after(2);
  recovered.stage.run();
  REQUIRE_FALSE(recovered.seen->empty());
  CHECK(recovered.seen->front() == trained);
}
