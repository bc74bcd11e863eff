#include "messages/loop/run_state.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

/// Advances to `step`, training on batches of 10 examples with the loss 2.
void go_to(RunState& run, LoopPhase step) {
  for (auto i = 0; run.step != step; ++i) {
    REQUIRE(i < 1000);
    if (run.step == LoopPhase::batch)
      run.count_batch({2.0, 10, 10, false}, 0.25, 0.5);
    run.advance();
  }
}

RunState started(DataFacts data = {.batches_per_epoch = 3, .epochs = 0}) {
  RunState run;
  run.begin(data);
  return run;
}

} // namespace

TEST_CASE("a run that has not begun is neither running nor over", "[run_state]") {
  RunState run;
  CHECK_FALSE(run.running());
  CHECK_FALSE(run.over());
  run.begin({.batches_per_epoch = 3});
  CHECK(run.running());
  CHECK(run.step == LoopPhase::before_training);
}

TEST_CASE("batches, examples and epochs are counted when they are done", "[run_state][B3]") {
  auto run = started();
  go_to(run, LoopPhase::after_epoch);
  CHECK(run.position.batches == 3);
  CHECK(run.position.examples == 30);
  CHECK(run.position.epochs == 1);
  CHECK(run.position.training_seconds == 1.5);
  CHECK(run.totals.reading_seconds == 0.75);
  CHECK_FALSE(run.epoch_started);
}

TEST_CASE("the batches of the running epoch are counted, however long earlier epochs were",
          "[run_state][B3]") {
  RunState run;
  Position done;
  done.batches = 20; // in two epochs of 10
  done.epochs = 2;
  run.place(6, false, done);
  run.begin({.batches_per_epoch = 3});
  CHECK(run.epoch_batches() == 0);
  go_to(run, LoopPhase::after_batch);
  CHECK(run.epoch_batches() == 1);
  run.advance();
  go_to(run, LoopPhase::after_batch);
  CHECK(run.epoch_batches() == 2);
  go_to(run, LoopPhase::after_epoch);
  CHECK(run.epoch_batches() == 0);
  CHECK(run.position.epochs == 3);
}

TEST_CASE("a closed epoch is done, and the next begins after its batches", "[run_state][M25]") {
  auto run = started();
  go_to(run, LoopPhase::after_batch);
  run.close_epoch();
  run.finish("enough");
  CHECK(run.advance() == LoopPhase::after_epoch);
  CHECK(run.position.epochs == 1);
  CHECK(run.position.batches == 1);
  CHECK(run.cursor == 3);
  run.close_epoch(); // there is none to close
  CHECK(run.advance() == LoopPhase::after_training);
}

TEST_CASE("an epoch is not closed before it has begun", "[run_state][M25]") {
  auto run = started();
  go_to(run, LoopPhase::after_epoch);
  run.close_epoch();
  go_to(run, LoopPhase::before_batch);
  go_to(run, LoopPhase::after_epoch);
  CHECK(run.position.epochs == 2);
  CHECK(run.position.batches == 6);
}

TEST_CASE("totals sum losses over examples and over batches", "[run_state]") {
  auto run = started();
  run.count_batch({2, 10, 10, false}, 0, 0);
  run.count_batch({4, 5, 5, false}, 0, 0);
  CHECK(run.totals.loss.value() == 2 * 10 + 4 * 5);
  CHECK(run.totals.batch_loss.value() == 6);
  CHECK(run.totals.examples == 15);
  CHECK(run.totals.batches == 2);
  CHECK(run.loss == 4);
}

TEST_CASE("the exact sums keep the losses that follow a huge one", "[run_state]") {
  auto run = started();
  run.count_batch({1e32, 10, 10, false}, 0, 0);
  const auto loss = run.totals.loss, batch_loss = run.totals.batch_loss;
  run.count_batch({4, 5, 5, false}, 0, 0);
  CHECK(run.totals.loss.since(loss) == 20);
  CHECK(run.totals.batch_loss.since(batch_loss) == 4);
}

TEST_CASE("a batch's loss is weighted, and one without a loss is in no sum", "[run_state][T26]") {
  auto run = started();
  run.count_batch({2, 10, 3, false}, 0, 0);
  run.count_batch({0, 10, 0, false}, 0, 0); // masked throughout
  CHECK(run.loss == 2);
  run.count_batch({5, 10, 9, false}, 0, 0);
  CHECK(run.position.batches == 3);
  CHECK(run.totals.loss.value() / run.totals.weight == (2.0 * 3 + 5 * 9) / 12);
  CHECK(run.totals.batch_loss.value() == 7);
  CHECK(run.totals.batches == 2);
  CHECK(run.totals.examples == 20);
  CHECK(run.totals.skipped_batches == 0);
}

TEST_CASE("a skipped batch is counted, but is in no sum", "[run_state]") {
  auto run = started();
  run.count_batch({2, 10, 10, true}, 0, 0);
  CHECK(run.position.batches == 1);
  CHECK(run.position.examples == 10);
  CHECK(run.cursor == 1);
  CHECK(run.totals.skipped_batches == 1);
  CHECK(run.totals.batches == 0);
  CHECK(run.totals.loss.value() == 0);
}

TEST_CASE("each batch begins a row of the log", "[run_state][B3]") {
  auto run = started();
  run.row["record"] = Value{true};
  go_to(run, LoopPhase::batch);
  CHECK(run.row.count("record"));
  go_to(run, LoopPhase::after_batch);
  CHECK(run.row.empty());
  run.row["record"] = Value{true};
  go_to(run, LoopPhase::after_epoch);
  CHECK(run.position.batches == 3);
}

TEST_CASE("a run that finished by itself says so", "[run_state]") {
  auto run = started({.batches_per_epoch = 3, .epochs = 2});
  go_to(run, LoopPhase::ended);
  CHECK(run.outcome() == Outcome::finished);
  CHECK(run.position.epochs == 2);
  CHECK(run.causes() == std::vector<std::string>{"the data ended"});
}

TEST_CASE("causes are kept in order, the first is the primary one", "[run_state]") {
  auto run = started();
  run.finish("the loss is small");
  run.stop({StopLevel::after_epoch, "the time is over", false});
  go_to(run, LoopPhase::ended);
  CHECK(run.causes() == std::vector<std::string>{"the loss is small", "the time is over"});
  CHECK(run.reason() == "the loss is small; the time is over");
  CHECK(run.outcome() == Outcome::finished);
}

TEST_CASE("an end after the batch is named before ends after the epoch that it precedes",
          "[run_state][B10]") {
  auto run = started();
  run.stop({StopLevel::after_epoch, "soon", false});
  go_to(run, LoopPhase::after_batch);
  run.finish("the loss is small");
  run.stop({StopLevel::after_batch, "now", false});
  go_to(run, LoopPhase::ended);
  CHECK(run.position.batches == 1);
  CHECK(run.causes() == std::vector<std::string>{"the loss is small", "now", "soon"});
}

TEST_CASE("an end after the epoch that has come is named before those of its extensions",
          "[run_state][B9]") {
  auto run = started();
  run.stop({StopLevel::after_epoch, "soon", false});
  go_to(run, LoopPhase::after_epoch);
  run.finish("one epoch is done");
  go_to(run, LoopPhase::ended);
  CHECK(run.causes() == std::vector<std::string>{"soon", "one epoch is done"});
}

TEST_CASE("a run that ends where it was interrupted has ended by itself, and is not resumed",
          "[run_state][B9][B12]") {
  auto run = started();
  run.stop({StopLevel::after_epoch, "Ctrl-C", true});
  go_to(run, LoopPhase::after_epoch);
  SECTION("after the epoch") {}
  SECTION("and by a second interrupt at that very place") {
    run.stop({StopLevel::after_batch, "Ctrl-C again", true});
  }
  run.finish("one epoch is done");
  run.stop({StopLevel::after_batch, "Ctrl-C once more", true});
  CHECK(run.pending_causes() == std::vector<std::string>{"one epoch is done"});
  CHECK(run.advance() == LoopPhase::after_training);
  run.stop({StopLevel::after_batch, "Ctrl-C too late", true});
  go_to(run, LoopPhase::ended);
  CHECK(run.outcome() == Outcome::finished);
  CHECK(run.causes_of_end() == std::vector<std::string>{"one epoch is done"});
}

TEST_CASE("a run whose data end has ended by itself, even if it was interrupted",
          "[run_state][B9][B12]") {
  auto run = started({.batches_per_epoch = 3, .epochs = 1});
  run.stop({StopLevel::after_epoch, "Ctrl-C", true});
  go_to(run, LoopPhase::ended);
  CHECK(run.outcome() == Outcome::finished);
  CHECK(run.causes() == std::vector<std::string>{"the data ended"});
}

TEST_CASE("a run that was interrupted before its end can be resumed", "[run_state][B9][B12]") {
  auto run = started({.batches_per_epoch = 3, .epochs = 2});
  run.stop({StopLevel::after_epoch, "Ctrl-C", true});
  go_to(run, LoopPhase::ended);
  CHECK(run.position.epochs == 1);
  CHECK(run.outcome() == Outcome::interrupted);
  CHECK(run.causes() == std::vector<std::string>{"Ctrl-C"});
}

TEST_CASE("an interrupted run reports that it was interrupted", "[run_state][B12]") {
  auto run = started();
  run.stop({StopLevel::after_batch, "Ctrl-C", true});
  go_to(run, LoopPhase::on_interrupt);
  go_to(run, LoopPhase::ended);
  CHECK(run.outcome() == Outcome::interrupted);
}

TEST_CASE("an interrupt stays one, even if another end is requested after it", "[run_state][B12]") {
  auto run = started();
  run.stop({StopLevel::after_batch, "Ctrl-C", true});
  run.stop({StopLevel::after_batch, "the time is over", false});
  CHECK(run.pending_causes().empty()); // a run resumed from here does not end
  go_to(run, LoopPhase::on_interrupt);
  go_to(run, LoopPhase::ended);
  CHECK(run.outcome() == Outcome::interrupted);
}

TEST_CASE("an interrupted run stays one, even if an end is requested at its last callbacks",
          "[run_state][B9][B12]") {
  auto run = started();
  run.stop({StopLevel::after_batch, "Ctrl-C", true});
  go_to(run, GENERATE(LoopPhase::on_interrupt, LoopPhase::after_training));
  run.finish("a gate has missed its deadline");
  CHECK(run.pending_causes().empty());
  go_to(run, LoopPhase::ended);
  CHECK(run.outcome() == Outcome::interrupted);
  CHECK(run.causes().front() == "Ctrl-C");
}

TEST_CASE("a run that an extension of another worker ends has ended by itself",
          "[run_state][B9][B12]") {
  auto run = started();
  run.stop({StopLevel::after_epoch, "Ctrl-C", true});
  go_to(run, LoopPhase::after_epoch);
  run.stop({StopLevel::after_batch, "no improvement", false, 0, true});
  go_to(run, LoopPhase::ended);
  CHECK(run.outcome() == Outcome::finished);
  CHECK(run.causes_of_end() == std::vector<std::string>{"no improvement"});
}

TEST_CASE("of several ends after an epoch the last epoch counts, in this run only", "[run_state]") {
  auto run = started({.batches_per_epoch = 1, .epochs = 0});
  run.stop({StopLevel::after_epoch, "all stop after three", false, 3});
  run.stop({StopLevel::after_epoch, "and soon", false, 0});
  go_to(run, LoopPhase::ended);
  CHECK(run.position.epochs == 3);
  run.stop({StopLevel::after_epoch, "later", false, 9});
  run.begin({.batches_per_epoch = 1, .epochs = 0});
  run.stop({StopLevel::after_epoch, "soon", false, 0});
  go_to(run, LoopPhase::ended);
  CHECK(run.position.epochs == 4);
}

TEST_CASE("a run with a new position keeps timelines that the position does not have",
          "[run_state][P14]") {
  RunState run;
  run.position.timelines = {{"tokens", 5}, {"words", 6}};
  Position there;
  there.batches = 7;
  there.timelines = {{"tokens", 100}};
  run.place(7, true, there);
  CHECK(run.position.timelines == std::map<std::string, double>{{"tokens", 100}, {"words", 6}});
}

TEST_CASE("an abandoned run is over at once", "[run_state][B11]") {
  auto run = started();
  run.stop({StopLevel::now, "three times Ctrl-C", true});
  CHECK(run.over());
  CHECK(run.outcome() == Outcome::interrupted);
  CHECK(run.reason() == "three times Ctrl-C");
}

TEST_CASE("a failure goes to on_error and keeps the first error", "[run_state][B13][B14]") {
  auto run = started();
  go_to(run, LoopPhase::after_batch);
  run.fail("the first");
  CHECK(run.step == LoopPhase::on_error);
  run.fail("the second");
  CHECK(run.advance() == LoopPhase::failed);
  CHECK(run.outcome() == Outcome::failed);
  CHECK(run.reason() == "the first");
  run.fail("the third");
  CHECK(run.error == "the first");
}

TEST_CASE("a run continues where the last one ended", "[run_state][B8]") {
  auto run = started();
  go_to(run, LoopPhase::after_batch);
  run.finish("enough");
  go_to(run, LoopPhase::ended);
  CHECK(run.position.batches == 1);
  run.begin({.batches_per_epoch = 3});
  CHECK(run.causes().empty());
  CHECK(run.advance() == LoopPhase::on_resumption);
  CHECK(run.advance() == LoopPhase::before_batch);
  go_to(run, LoopPhase::after_epoch);
  CHECK(run.position.batches == 3);
}

TEST_CASE("an epoch that was left at its last batch is closed when the run resumes",
          "[run_state][B7][B8]") {
  auto run = started({.batches_per_epoch = 1, .epochs = 2});
  go_to(run, LoopPhase::after_batch);
  run.finish("enough");
  go_to(run, LoopPhase::ended);
  CHECK(run.position.epochs == 0);
  run.begin({.batches_per_epoch = 1, .epochs = 2});
  CHECK(run.advance() == LoopPhase::on_resumption);
  CHECK(run.advance() == LoopPhase::after_epoch);
  CHECK(run.position.epochs == 1);
  CHECK(run.advance() == LoopPhase::before_epoch);
}
