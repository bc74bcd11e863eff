#include "extensions/display/printing.hpp"
#include "tests/support/extension_stage.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace troupe;
using namespace troupe::test;

namespace {

Row example_row() {
  Row row{{0, 313}, 1, 2.4, {}};
  row.records = {{"loss", Value{0.412345}},  {"_state", Value{1.0}},
                 {"accuracy", Value{0.875}}, {"saved_as", Value{std::string{"a.ckpt"}}},
                 {"best", Value{true}},      {"seen", Value{std::int64_t{20000}}}};
  return row;
}

/// A record for a row, as if another extension had written it.
void write(Stage& stage, Step batch, const std::string& name, double value,
           const std::string& settles = "") {
  stage.world.self->send(stage.logger,
                         Write{{0, batch}, batch / 3, 0, {{name, Value{value}}}, settles});
  stage.world.run();
}

Extension printing(Stage& stage, const std::string& style = "line") {
  return stage.world.keep(spawn_printing(stage.world.system, {.style = style}, stage.logger));
}

} // namespace

TEST_CASE("a row is printed as one line, sorted by name, without hidden records",
          "[printing][B31]") {
  CHECK(print_row(example_row(), {.style = "line"})
        == "epoch 1, batch 313, 2.4 s: accuracy 0.875  best true  loss 0.4123  saved_as a.ckpt  "
           "seen 20000");
}

TEST_CASE("a row is printed as a table, one record per line", "[printing][B31]") {
  CHECK(print_row(example_row(), {.style = "table"})
        == "epoch 1, batch 313, 2.4 s\n\t accuracy: 0.875\n\t best: true\n\t loss: 0.4123\n\t "
           "saved_as: a.ckpt\n\t seen: 20000");
}

TEST_CASE("a row is printed as JSON with all digits", "[printing][B31]") {
  CHECK(print_row(example_row(), {.style = "json"})
        == R"({"worker":0,"batch":313,"epoch":1,"accuracy":0.875,"best":true,"loss":0.412345,)"
           R"("saved_as":"a.ckpt","seen":20000})");
}

TEST_CASE("an undefined metric is marked", "[printing][T26]") {
  Row row{{0, 3}, 1, 0, {}};
  row.records = {{"validation_loss", Value{0.5}},
                 {"validation_r2", Value{0.0}},
                 {"validation_undefined", Value{std::string{"r2"}}}};
  CHECK_THAT(print_row(row, {}),
             Catch::EndsWith("validation_loss 0.5  validation_r2 0 (undefined)"));
}

TEST_CASE("the JSON of a row is valid for any content of a record", "[printing][B31]") {
  Row row{{3, 1}, 0, 0, {}};
  row.records = {{"na\"me", Value{std::string{"C:\\new\n\"x\"\t\x01"}}},
                 {"nan", Value{std::nan("")}},
                 {"infinite", Value{-HUGE_VAL}},
                 {"large", Value{1e300}},
                 {"empty", Value{std::string{}}}};
  const auto json = nlohmann::json::parse(print_row(row, {.style = "json"}));
  CHECK(json["worker"] == 3);
  CHECK(json["na\"me"].get<std::string>().substr(0, 6) == "C:\\new");
  CHECK(json["nan"].is_string());
  CHECK(json["infinite"].is_string());
  CHECK(json["large"] == 1e300);
  CHECK(json["empty"] == "");
}

TEST_CASE("a row names its worker if that is not worker 0", "[printing][B31]") {
  CHECK(print_row({{2, 5}, 0, 1, {}}, {}) == "epoch 0, batch 5, 1.0 s, worker 2");
}

TEST_CASE("records are hidden by name, prefix and suffix", "[printing][B31]") {
  Row row;
  for (const auto* name : {"loss", "time_train_total", "valid_loss", "valid_version", "timestamp"})
    row.records[name] = Value{1.0};
  CHECK(print_row(row, {}) == "epoch 0, batch 0, 0.0 s: loss 1  valid_loss 1");
  CHECK(print_row(row, {.hide = {"valid_*", "*_total", "loss"}})
        == "epoch 0, batch 0, 0.0 s: timestamp 1");
  CHECK_THAT(print_row(row, {.hide = {}}), Catch::Contains("valid_version"));
}

TEST_CASE("an unknown style is refused with the known ones", "[printing]") {
  Stage stage;
  CHECK_THROWS_WITH(spawn_printing(stage.world.system, {.style = "xml"}, stage.logger),
                    Catch::Contains("'xml'") && Catch::Contains("line, table, json"));
}

TEST_CASE("printing has the default triggers of Blocks", "[printing][B31]") {
  CHECK(triggers_of(printing_conditions())
        == std::vector<std::string>{"before_first_epoch", "on_resumption", "after_epoch",
                                    "on_interrupt", "after_training"});
}

TEST_CASE("the rows at the start of the first epoch and at the end of each epoch are printed once",
          "[printing][B31]") {
  Stage stage{{.epochs = 2}};
  for (Step batch : {0, 1, 3, 6})
    write(stage, batch, "loss", static_cast<double>(batch));
  stage.observe("printing", printing_conditions(), printing(stage));
  stage.run();
  CHECK(stage.heard->texts()
        == std::vector<std::string>{"epoch 0, batch 0, 0.0 s: loss 0",
                                    "epoch 1, batch 3, 0.0 s: loss 3",
                                    "epoch 2, batch 6, 0.0 s: loss 6"});
}

TEST_CASE("a run that ends inside an epoch prints its last row", "[printing][B31]") {
  Stage stage;
  write(stage, 2, "loss", 2);
  stage.observe("printing", printing_conditions(), printing(stage));
  const auto finish = stage.world.keep(spawn_finish_after(stage.world.system, "enough"));
  stage.gate("finish", trigger("after_n_batches", Value{std::int64_t{2}}), finish);
  stage.run();
  CHECK(stage.heard->texts() == std::vector<std::string>{"epoch 0, batch 2, 2.0 s: loss 2"});
}

TEST_CASE("a row is printed at each of its triggers, but not again at the end", "[printing][B31]") {
  Stage stage{{.epochs = 1}};
  const auto add = [&](const LoopEvent&) {
    GateAnswer answer;
    answer.records["validation_loss"] = Value{0.5};
    return answer;
  };
  write(stage, 3, "loss", 3);
  stage.gate("validation", trigger("after_epoch"),
             recording_gate(stage.world, new_trace(), "", add));
  stage.observe("printing",
                printing_conditions().set_trigger("every_n_batches", Value{std::int64_t{3}}),
                printing(stage));
  stage.run();
  CHECK(stage.heard->texts()
        == std::vector<std::string>{"epoch 1, batch 3, 0.0 s: loss 3",
                                    "epoch 1, batch 3, 3.0 s: loss 3  validation_loss 0.5"});
}

TEST_CASE("as a gate, printing answers before its line is complete", "[printing]") {
  Stage stage{{.epochs = 1}};
  write(stage, 3, "loss", 3);
  stage.world.self->send(stage.logger, Expect{{0, 3}, "slow"});
  stage.gate("printing", printing_conditions(), printing(stage));
  CHECK(stage.run().outcome == Outcome::finished);
  CHECK(stage.heard->texts().empty());
  write(stage, 3, "validation_loss", 0.5, "slow");
  CHECK(stage.heard->texts()
        == std::vector<std::string>{"epoch 1, batch 3, 0.0 s: loss 3  validation_loss 0.5"});
}

TEST_CASE("a row is printed once its announced records have arrived", "[printing][B31]") {
  Stage stage{{.epochs = 1}};
  const auto extension = printing(stage);
  write(stage, 3, "loss", 3);
  stage.world.self->send(stage.logger, Expect{{0, 3}, "slow"});
  stage.observe("printing", printing_conditions(), extension);
  stage.run();
  Pending<Drained> drained{stage.world, extension, Drain{}};
  CHECK(stage.heard->texts().empty());
  CHECK_FALSE(drained.answered());
  write(stage, 3, "validation_loss", 0.5, "slow");
  CHECK(stage.heard->texts()
        == std::vector<std::string>{"epoch 1, batch 3, 0.0 s: loss 3  validation_loss 0.5"});
  CHECK(drained.answered());
}

TEST_CASE("printing a later row first does not drain an earlier one", "[printing][B31]") {
  Stage stage{{.epochs = 1}};
  const auto extension = printing(stage);
  stage.world.self->send(stage.logger, Expect{{0, 0}, "slow"});
  stage.observe("printing", printing_conditions(), extension);
  stage.start();
  Pending<Drained> drained{stage.world, extension, Drain{}};
  stage.world.pass(1min, 1s);
  REQUIRE(stage.ended());
  CHECK_FALSE(drained.answered());
  write(stage, 0, "validation_loss", 0.5, "slow");
  CHECK(drained.answered());
}

TEST_CASE("a row whose records never arrive is not printed, with a warning", "[printing][B31]") {
  Stage stage{{.epochs = 1}};
  const auto extension = printing(stage);
  stage.world.self->send(stage.logger, Expect{{0, 3}, "dead"});
  stage.observe("printing", printing_conditions(), extension);
  stage.run();
  Pending<Drained> drained{stage.world, extension, Drain{}};
  stage.world.advance(10min);
  REQUIRE(stage.heard->texts(Level::warning).size() == 1);
  CHECK_THAT(stage.heard->texts(Level::warning)[0], Catch::Contains("batch 3"));
  CHECK(drained.answered());
}

TEST_CASE("a line waits for its records until its deadline", "[printing][B31]") {
  Stage stage{{.epochs = 1}};
  PrintingOptions options;
  options.deadline = 1200;
  const auto extension
    = stage.world.keep(spawn_printing(stage.world.system, options, stage.logger));
  stage.world.self->send(stage.logger, Expect{{0, 3}, "late"});
  stage.observe("printing", printing_conditions(), extension);
  stage.run();
  Pending<Drained> drained{stage.world, extension, Drain{}};
  stage.world.advance(11min);
  CHECK_FALSE(drained.answered());
  CHECK(stage.heard->texts(Level::warning).empty());
  stage.world.advance(9min);
  CHECK(drained.answered());
}

TEST_CASE("an interrupted run prints its position and the reason", "[printing][B31]") {
  Stage stage;
  write(stage, 1, "loss", 1);
  stage.observe("printing", printing_conditions(), printing(stage));
  stage.start();
  stage.world.self->send(stage.trainer, Stop{StopLevel::after_batch, "Ctrl-C", true});
  stage.world.advance(1s);
  REQUIRE(stage.finished().outcome == Outcome::interrupted);
  CHECK(stage.heard->texts()
        == std::vector<std::string>{"training is interrupted: Ctrl-C",
                                    "epoch 0, batch 1, 0.0 s: loss 1"});
}

TEST_CASE("lost rows are counted", "[printing]") {
  Stage stage;
  LoopEvent event;
  event.lost = 2;
  stage.world.self->send(printing(stage), event);
  stage.world.run();
  CHECK(stage.heard->texts(Level::warning)
        == std::vector<std::string>{"printing missed 2 rows before this one"});
}

TEST_CASE("columns are as wide as their widest values so far", "[printing]") {
  RowColumns columns;
  const auto text = [&](Step batch, double a, double b) {
    return columns.text({{0, batch}, batch / 3, 0.5, {{"a", Value{a}}, {"b", Value{b}}}}, {});
  };
  CHECK(text(3, 0.25, 1) == "epoch 1, batch 3, 0.5 s: a 0.25  b 1");
  CHECK(text(30, 0.5, 2) == "epoch 10, batch 30, 0.5 s: a 0.5   b 2");
  CHECK(text(6, 0.5, 2) == "epoch 2, batch 6, 0.5 s:   a 0.5   b 2");
}

TEST_CASE("the first row has room for the run's largest numbers", "[printing]") {
  ExpectedLength expected_length;
  expected_length.epochs = 10;
  expected_length.batches_per_epoch = 30;
  CHECK(RowColumns{}.text({{0, 0}, 0, 0.5, {{"a", Value{1.0}}}}, {}, expected_length)
        == "epoch 0, batch 0, 0.5 s:    a 1");
}

TEST_CASE("after a batch the line shows the mean training loss since the last line", "[printing]") {
  Stage stage{{.epochs = 2}};
  stage.observe("printing", Conditions{}.set_trigger("every_n_batches", Value{std::int64_t{2}}),
                printing(stage));
  stage.run();
  const auto lines = stage.heard->texts();
  REQUIRE(lines.size() == 3);
  CHECK_THAT(lines[0], Catch::StartsWith("epoch 0, batch 2, 2.0 s: training_loss "));
  CHECK_THAT(lines[1], Catch::StartsWith("epoch 1, batch 4, 4.0 s: training_loss "));
}

TEST_CASE("the mean loss between two rows is over the batches between them", "[printing]") {
  LossBetweenRows loss;
  LoopEvent event;
  CHECK_FALSE(loss.next(event));
  const auto train = [&](double sum, double count) {
    event.totals.loss.add(sum);
    event.totals.weight += count;
    event.loss = sum / count;
  };
  train(6, 2);
  train(2, 2);
  CHECK(loss.next(event) == 2);
  CHECK_FALSE(loss.next(event));
  train(5, 1);
  CHECK(loss.next(event) == 5);
  LossBetweenRows late; // attached during training
  CHECK(late.next(event) == 5);
  train(3, 1);
  CHECK(late.next(event) == 3);
}
