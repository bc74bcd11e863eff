#include "extensions/display/progress_bar.hpp"
#include "tests/support/extension_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr ProgressBarOptions ascii{.width = 4, .unicode = false};

/// The texts of the bar in a run.
std::vector<std::string> shown(Stage& stage) {
  const auto bar = stage.world.keep(spawn_progress_bar(stage.world.system, ascii, stage.logger));
  stage.observe("progress bar", progress_bar_conditions(), bar);
  stage.run(1s);
  std::vector<std::string> texts;
  for (const auto& progress : stage.heard->progress)
    texts.push_back(progress.text);
  return texts;
}

LoopEvent event_at(Step batches, Epoch epochs, double seconds) {
  LoopEvent event;
  event.expected_length = {.batches_per_epoch = 10, .examples_per_epoch = 100, .epochs = 4};
  event.position.batches = batches;
  event.position.examples = batches * 10;
  event.position.epochs = epochs;
  event.epoch_batches = batches - epochs * 10;
  event.position.seconds = seconds;
  return event;
}

} // namespace

TEST_CASE("the progress bar shows epoch, batch, rate, loss and the time left", "[progress_bar]") {
  ProgressText progress{ascii};
  LoopEvent event;
  event.expected_length = {.batches_per_epoch = 10, .examples_per_epoch = 100, .epochs = 2};
  CHECK(progress.text(event) == "epoch 1/2 .... 0/10");
  event.started = true;
  event.loss = 0.25;
  event.position.batches = event.epoch_batches = 5;
  event.position.examples = 50;
  event.position.seconds = 10;
  CHECK(progress.text(event) == "epoch 1/2 ##.. 5/10  5.0 examples/s  loss 0.25  eta 0:30");
}

TEST_CASE("the bar of a single pass shows examples, rate and the time left",
          "[progress_bar][M42]") {
  CHECK(pass_text(0, 400, 0, ascii) == ".... 0/400 examples");
  CHECK(pass_text(100, 400, 2, ascii) == "#... 100/400 examples  50.0 examples/s  eta 0:06");
  CHECK(pass_text(400, 400, 8, ascii) == "#### 400/400 examples  50.0 examples/s  eta 0:00");
}

TEST_CASE("the bar follows a run of known length, and is removed at its end",
          "[progress_bar][B32]") {
  Stage stage{{.toy = {.learning_rate = 0}, .epochs = 2}};
  const std::string rate = "  10.0 examples/s  loss ";
  CHECK(shown(stage)
        == std::vector<std::string>{
          "epoch 1/2 .... 0/3",
          "epoch 1/2 #... 1/3" + rate + "57  eta 0:05",
          "epoch 1/2 ##.. 2/3" + rate + "437  eta 0:04",
          "epoch 1/2 #### 3/3" + rate + "1217  eta 0:03", // after_batch
          "epoch 1/2 #### 3/3" + rate + "1217  eta 0:03", // after_epoch
          "epoch 2/2 #... 1/3" + rate + "57  eta 0:02",
          "epoch 2/2 ##.. 2/3" + rate + "437  eta 0:01",
          "epoch 2/2 #### 3/3" + rate + "1217  eta 0:00",
          "epoch 2/2 #### 3/3" + rate + "1217  eta 0:00",
          "",
        });
}

TEST_CASE("1000 examples in batches of 10 are 100 batches", "[progress_bar][B32]") {
  Stage stage{{.toy = {.examples = 1000}}};
  stage.finish_after(1);
  CHECK(shown(stage).front() == "epoch 1 .... 0/100");
}

TEST_CASE("a smaller last batch counts as one batch", "[progress_bar][B32]") {
  Stage stage{{.toy = {.examples = 25, .learning_rate = 0}, .epochs = 1}};
  const auto texts = shown(stage);
  CHECK(texts.front() == "epoch 1/1 .... 0/3");
  CHECK_THAT(texts[texts.size() - 2], Catch::StartsWith("epoch 1/1 #### 3/3"));
}

TEST_CASE("without a known length the bar counts batches", "[progress_bar][B32]") {
  ProgressText progress{ascii};
  LoopEvent event;
  event.position.batches = 17;
  CHECK(progress.text(event) == "epoch 1 batch 17");
}

TEST_CASE("after a resume the bar starts at the resumed position", "[progress_bar][B32]") {
  ProgressText progress{ascii};
  CHECK(progress.text(event_at(15, 1, 3600)) == "epoch 2/4 ##.. 5/10");
  CHECK(progress.text(event_at(16, 1, 3602)) == "epoch 2/4 ##.. 6/10  5.0 examples/s  eta 0:48");
}

TEST_CASE("the time left is that to the earliest known end", "[progress_bar][B32]") {
  ProgressText progress{ascii};
  const auto shown = [&](const ExpectedLength& expected_length) {
    auto event = event_at(20, 2, 10); // 20 examples per second, by two events
    progress.text(event_at(10, 1, 5));
    event.expected_length = expected_length;
    const auto text = progress.text(event);
    return text.substr(std::min(text.find("  eta"), text.size()));
  };
  constexpr ExpectedLength passes{.batches_per_epoch = 10, .examples_per_epoch = 100};
  const auto with = [&](Epoch epochs, Step batches, double seconds) {
    auto expected_length = passes;
    expected_length.epochs = epochs;
    expected_length.batches = batches;
    expected_length.seconds = seconds;
    return expected_length;
  };
  CHECK(shown(with(0, 0, 0)).empty());
  CHECK(shown(with(1000, 30, 0)) == "  eta 0:05"); // 10 batches
  CHECK(shown(with(3, 30000, 0)) == "  eta 0:05"); // 1 epoch
  CHECK(shown(with(1000, 0, 14)) == "  eta 0:04");
  CHECK(shown(with(1000, 30, 14)) == "  eta 0:04");
  CHECK(shown(with(0, 0, 14)) == "  eta 0:04");
}

TEST_CASE("an event at the same time does not change the rate, and no rate is negative",
          "[progress_bar][B32]") {
  ProgressText progress{ascii};
  progress.text(event_at(10, 1, 10));
  CHECK(progress.text(event_at(12, 1, 10)) == "epoch 2/4 .... 2/10"); // no time has passed
  CHECK(progress.text(event_at(15, 1, 20)) == "epoch 2/4 ##.. 5/10  5.0 examples/s  eta 0:50");
  CHECK(progress.text(event_at(11, 1, 21)) == "epoch 2/4 .... 1/10  5.0 examples/s  eta 0:58");
  CHECK_THAT(progress.text(event_at(45, 4, 27)), Catch::EndsWith("eta 0:00")); // past the end
}

TEST_CASE("after_epoch shows the full bar of the completed epoch", "[progress_bar][B32]") {
  ProgressText progress{ascii};
  CHECK(progress.text(event_at(20, 1, 5)) == "epoch 2/4 #### 10/10"); // after_batch 20
  CHECK(progress.text(event_at(20, 2, 5)) == "epoch 2/4 #### 10/10"); // after_epoch
  CHECK(progress.text(event_at(21, 2, 5)) == "epoch 3/4 .... 1/10");
}

TEST_CASE("the bar counts the running epoch's batches after shorter epochs",
          "[progress_bar][B32]") {
  ProgressText progress{ascii};
  auto event = event_at(6, 2, 0); // two epochs of 3 batches
  event.epoch_batches = 0;
  progress.text(event);
  event.position.batches = 11;
  event.position.examples = 110;
  event.position.seconds = 10;
  event.epoch_batches = 5;
  CHECK(progress.text(event) == "epoch 3/4 ##.. 5/10  5.0 examples/s  eta 0:30");
}

TEST_CASE("rates and times are printed briefly", "[progress_bar]") {
  const auto at_rate = [](std::uint64_t examples, std::uint64_t all) {
    ProgressText progress{ascii};
    LoopEvent event;
    progress.text(event);
    event.position.examples = examples;
    event.position.seconds = 1;
    event.epoch_batches = examples;
    event.expected_length
      = {.batches_per_epoch = static_cast<Step>(all), .examples_per_epoch = all, .epochs = 1};
    const auto text = progress.text(event);
    return text.substr(text.find("  "));
  };
  CHECK(at_rate(123, 246) == "  123 examples/s  eta 0:01");
  CHECK(at_rate(12345, 12345 * 3601) == "  12k examples/s  eta 1:00:00");
  CHECK(at_rate(2'000'000, 2'000'000) == "  2.0M examples/s  eta 0:00");
}

TEST_CASE("the bar is drawn with Unicode lines if enabled", "[progress_bar]") {
  ProgressText progress{{.width = 4}};
  CHECK(progress.text(event_at(5, 0, 0)) == "epoch 1/4 ━━── 5/10");
}

TEST_CASE("each worker has its own line", "[progress_bar]") {
  Stage stage{{.worker = 2, .epochs = 1}};
  CHECK(shown(stage).front() == "worker 2: epoch 1/1 .... 0/3");
  CHECK(stage.heard->progress.front().name == "worker 2");
  CHECK(stage.heard->progress.back().text.empty());
}

TEST_CASE("the bar is removed when training fails", "[progress_bar]") {
  Stage stage;
  stage.problem->poison(15);
  const auto texts = shown(stage);
  CHECK(stage.finished().outcome == Outcome::failed);
  CHECK(texts.back().empty());
}
