#include "extensions/monitoring/statistics.hpp"
#include "extensions/monitoring/training_monitoring.hpp"
#include "tests/support/extension_stage.hpp"
#include "tests/support/program.hpp"

#include <cmath>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// A stage that writes statistics of its training; an epoch has three batches of ten examples.
struct StatisticsStage : Stage {
  explicit StatisticsStage(StatisticsOptions options = {}, std::vector<Statistic> own = {},
                           Index examples = 30)
    : Stage({.toy = {.examples = examples}, .step_duration = 0}) {
    auto conditions = statistics_conditions();
    conditions.set_trigger("every_n_batches", Value{std::int64_t{2}});
    actor = world.keep(
      spawn_statistics(world.system, options, std::move(own), folder.path().string(), logger));
    gate("statistics", with_every_batch(conditions), actor);
  }

  std::string file(const std::string& name) const { return contents(folder.path() / name); }

  WorkFolder folder;
  Extension actor;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

LoopEvent batch_event(Step batch, double loss, std::uint64_t examples, std::uint64_t skipped = 0) {
  LoopEvent event;
  event.callback = Callback::after_batch;
  event.position.batches = batch;
  event.loss = loss;
  event.totals.batches = batch - skipped;
  event.totals.examples = examples;
  event.totals.skipped_batches = skipped;
  return event;
}

double cell_of(const StatisticsRow& row, const std::string& name) {
  for (const auto& cell : row)
    if (cell.name == name)
      return cell.value;
  return std::nan("");
}

} // namespace

TEST_CASE("every batch and every epoch has its row in the statistics files", "[M33]") {
  StatisticsStage stage{{}, {}, 25}; // the third batch has five examples
  stage.finish_after(6);
  stage.run();
  const auto batches = lines_of(stage.file("training_statistics.csv"));
  REQUIRE(batches.size() == 1 + 6);
  CHECK(batches[0] == "loss,episode,epoch,batch_size");
  CHECK_THAT(batches[1], Catch::EndsWith(",000000,00,10"));
  CHECK_THAT(batches[3], Catch::EndsWith(",000002,00,5"));
  CHECK_THAT(batches[4], Catch::EndsWith(",000003,01,10"));
  const auto epochs = lines_of(stage.file("training_set_agg_statistics.csv"));
  REQUIRE(epochs.size() >= 2);
  CHECK(epochs[0]
        == "episode,episodes_aggregated,loss,loss_min,loss_max,loss_std,epoch,samples_aggregated");
  CHECK_THAT(epochs[1], Catch::StartsWith("000002,3,") && Catch::EndsWith(",01,25"));
  CHECK(stage.file("validation_statistics.csv") == "loss,episode,epoch\n");
  CHECK(stage.file("validation_set_agg_statistics.csv")
        == "episode,episodes_aggregated,loss,loss_min,loss_max,loss_std,epoch\n");
}

TEST_CASE("logged validations have rows, partial and full ones in separate files", "[M33]") {
  StatisticsStage stage;
  stage.finish_after(1);
  stage.run();
  const auto write = [&](Step batch, const Records& records) {
    stage.world.self->send(stage.logger, Write{{0, batch}, 2, 0, records, ""});
    stage.world.run();
  };
  write(6, {{"partial_valid_loss", Value{0.5}}, {"partial_valid_accuracy", Value{0.75}}});
  write(6, {{"validation_loss", Value{0.25}},
            {"validation_episodes_aggregated", Value{std::int64_t{3}}},
            {"validation_accuracy", Value{0.5}},
            {"validation_version", Value{std::int64_t{6}}},
            {"validation_loss_best_so_far", Value{true}}});
  write(7, {{"training_loss", Value{0.1}}});
  CHECK(
    lines_of(stage.file("validation_statistics.csv"))
    == std::vector<std::string>{"loss,episode,epoch,acc", "0.5000000000,000005,02,0.7500000000"});
  const auto full = lines_of(stage.file("validation_set_agg_statistics.csv"));
  REQUIRE(full.size() == 2);
  CHECK_THAT(full[0], Catch::EndsWith(",epoch,acc"));
  CHECK(full[1] == "000005,3,0.2500000000,,,,02,0.5000000000");
}

TEST_CASE("an undefined metric is an empty cell in a validation's row", "[M33][T26]") {
  StatisticsStage stage;
  stage.finish_after(1);
  stage.run();
  const Records records{{"validation_loss", Value{0.25}},
                        {"validation_r2", Value{0.0}},
                        {"validation_undefined", Value{std::string{"r2"}}}};
  stage.world.self->send(stage.logger, Write{{0, 6}, 2, 0, records, ""});
  stage.world.run();
  CHECK_THAT(stage.file("validation_set_agg_statistics.csv"),
             Catch::EndsWith(",epoch,r2\n000005,,0.2500000000,,,,02,\n"));
}

TEST_CASE("a validation before the first episode belongs to episode -1", "[M33]") {
  const auto rows = validation_rows({{0, 0}, 0, 0, {{"validation_loss", Value{0.25}}}});
  CHECK(cell_of(rows.full, "episode") == -1);
  CHECK(cell_of(rows.full, "loss") == 0.25);
}

TEST_CASE("statistics are printed at the log interval, and written at every batch", "[M34]") {
  StatisticsStage stage; // every second batch
  stage.finish_after(5);
  stage.run();
  std::vector<std::string> said;
  for (const auto& text : stage.heard->texts())
    if (text.starts_with("loss "))
      said.push_back(text.substr(text.find("episode")));
  CHECK(said
        == std::vector<std::string>{"episode 000001; epoch 00; batch_size 10",
                                    "episode 000003; epoch 01; batch_size 10"});
  CHECK(lines_of(stage.file("training_statistics.csv")).size() == 1 + 5);
}

TEST_CASE("an epoch's statistics are printed with their tag", "[M31]") {
  StatisticsStage stage;
  stage.finish_after(4);
  stage.run();
  const auto said = stage.heard->texts();
  CHECK(std::any_of(said.begin(), said.end(), [](const auto& text) {
    return text.starts_with("episode 000002; episodes_aggregated 3; loss ")
           && text.ends_with("[Epoch 1]");
  }));
}

TEST_CASE("a problem's statistics in a row reach the file and the log", "[M32]") {
  StatisticsStage stage{{}, {{"seq_length", "{:.1f}"}}};
  stage.finish_after(4);
  stage.run(); // the toy problem has no statistics, so these are unknown
  const auto batches = lines_of(stage.file("training_statistics.csv"));
  REQUIRE(batches.size() == 5);
  CHECK(batches[0] == "loss,episode,epoch,batch_size,seq_length");
  CHECK_THAT(batches[1], Catch::EndsWith(",nan"));
  CHECK(std::isnan(number_in(stage.row(3), "training_seq_length")));
  CHECK(stage.row(3).count("training_seq_length") == 1);
}

TEST_CASE("aggregates of an epoch are computed from its batches", "[M31][M32]") {
  TrainingStatistics statistics{{}, {{"length"}}};
  statistics.begin({});
  statistics.add_batch(batch_event(1, 1, 30), {{"length", Value{2.0}}});
  statistics.add_batch(batch_event(2, 4, 40), {{"length", Value{5.0}}});
  const auto row = statistics.close_epoch(batch_event(2, 4, 40));
  CHECK(cell_of(row, "loss") == 2.5);
  CHECK(cell_of(row, "loss_std") == Approx(std::sqrt(4.5)));
  CHECK(cell_of(row, "episodes_aggregated") == 2);
  CHECK(cell_of(row, "samples_aggregated") == 40);
  CHECK(cell_of(row, "length") == 3.5);
  CHECK(cell_of(row, "length_max") == 5);
  CHECK(cell_of(statistics.close_epoch(batch_event(2, 4, 40)), "loss") == -1);
}

TEST_CASE("means can be weighted by batch size", "[M31]") {
  TrainingStatistics statistics{{.weighted = true}, {}};
  statistics.begin({});
  statistics.add_batch(batch_event(1, 1, 30), {});
  statistics.add_batch(batch_event(2, 4, 40), {});
  CHECK(cell_of(statistics.close_epoch(batch_event(2, 4, 40)), "loss") == 1.75);
}

TEST_CASE("a skipped batch has a row but is in no aggregate", "[M31]") {
  TrainingStatistics statistics{{}, {}};
  statistics.begin({});
  statistics.add_batch(batch_event(1, 1, 10), {});
  const auto row = statistics.add_batch(batch_event(2, std::nan(""), 10, 1), {});
  CHECK(cell_of(row, "batch_size") == 0);
  CHECK(std::isnan(cell_of(row, "loss")));
  CHECK(cell_of(statistics.close_epoch(batch_event(2, 1, 10, 1)), "loss") == 1);
}

TEST_CASE("statistics of an interrupted epoch continue as without the interrupt", "[M32]") {
  TrainingStatistics whole{{}, {{"length"}}};
  whole.begin({});
  whole.add_batch(batch_event(1, 1.0 / 3, 30), {{"length", Value{2.0}}});
  TrainingStatistics resumed{{}, {{"length"}}};
  resumed.restore(whole.state());
  LoopEvent start;
  start.totals = batch_event(1, 0, 30).totals;
  resumed.begin(start);
  for (auto* statistics : {&whole, &resumed})
    statistics->add_batch(batch_event(2, 4, 40), {});
  const auto a = whole.close_epoch(batch_event(2, 4, 40)),
             b = resumed.close_epoch(batch_event(2, 4, 40));
  CHECK(statistics_text(a) == statistics_text(b));
  CHECK(cell_of(a, "loss") == cell_of(b, "loss"));
}

TEST_CASE("a resumed run continues its files at the saved position", "[M33][B45]") {
  StatisticsStage first;
  first.finish_after(4);
  first.run();
  const auto state = first.world.ask<SavedExtension>(first.actor, SaveExtension{});
  const auto trainer = first.world.ask<SavedTrainer>(first.trainer, Save{});
  REQUIRE(state);
  REQUIRE(trainer);
  const auto batches = first.file("training_statistics.csv");
  StatisticsStage second;
  for (const auto* name : {"training_statistics.csv", "training_set_agg_statistics.csv",
                           "validation_statistics.csv", "validation_set_agg_statistics.csv"})
    std::filesystem::copy_file(first.folder.path() / name, second.folder.path() / name);
  { // batches after the checkpoint are trained again
    std::ofstream file{second.folder.path() / "training_statistics.csv", std::ios::app};
    file << "1.0,000004,01,10\n"; // loss, episode, epoch, batch_size
  }
  REQUIRE(second.world.ask<Restored>(second.trainer, Restore{*trainer}));
  REQUIRE(second.world.ask<Restored>(second.actor, RestoreExtension{state->state}));
  second.finish_after(6);
  second.run();
  const auto all = second.file("training_statistics.csv");
  CHECK(lines_of(all).size() == 7); // the header, and each of six batches once
  CHECK(all.starts_with(batches));
}

TEST_CASE("statistics attached during training append to the existing files", "[M33][P15]") {
  StatisticsStage stage;
  std::ofstream{stage.folder.path() / "training_statistics.csv"}
    << "loss,episode,epoch,batch_size\n0.5,000000,00,10\n0.4,000007,02,10\n";
  std::ofstream{stage.folder.path() / "validation_set_agg_statistics.csv"}
    << "loss,episode,epoch\n0.3,000002,00\n";
  auto event = batch_event(6, 0.25, 60);
  event.arguments = {"every batch"};
  stage.world.self->send(stage.actor, event);
  stage.world.run();
  const auto lines = lines_of(stage.file("training_statistics.csv"));
  REQUIRE(lines.size() == 3);
  CHECK(lines[1] == "0.5,000000,00,10");
  CHECK_THAT(lines[2], Contains("000005")); // batch 8 has no row yet
  CHECK(lines_of(stage.file("validation_set_agg_statistics.csv")).size() == 2);
}

TEST_CASE("two statistics with the same name are refused", "[M32]") {
  CHECK_THROWS_WITH((TrainingStatistics{{}, {{"loss"}}}), Contains("'loss', as another one is"));
  CHECK_THROWS_WITH((TrainingStatistics{{}, {{"x", "{:q}"}}}), Contains("{:q}"));
}

TEST_CASE(
  "files of statistics that cannot be written cause one warning each, and training continues",
  "[M33]") {
  Stage stage{{.step_duration = 0}};
  stage.gate("statistics", with_every_batch(statistics_conditions()),
             stage.world.keep(
               spawn_statistics(stage.world.system, {}, {}, "/dev/null/nowhere", stage.logger)));
  stage.finish_after(4);
  CHECK(stage.run().outcome == Outcome::finished);
  CHECK(stage.heard->texts(Level::warning).size() == 4); // one for each file
}
