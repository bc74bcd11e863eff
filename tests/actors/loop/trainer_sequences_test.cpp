// Sequences that depend on the epoch, or continue from batch to batch, as a trainer sees them.
#include "actors/log/logger.hpp"
#include "actors/loop/loader.hpp"
#include "actors/loop/trainer.hpp"
#include "model/data/sequences/recall.hpp"
#include "model/data/text/text.hpp"
#include "model/optimizers/make_optimizer.hpp"
#include "model/training/host_learner.hpp"
#include "model/zoo/char_lstm.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/recorders.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

struct SequenceRun {
  std::shared_ptr<const Problem> problem;
  bool shuffle = true;
  bool carry = false;
  Step ahead = 0; ///< batches that a loader prepares; 0: no loader
  WorkerId worker = 0, workers = 1;
};

/// One worker that trains a small char_lstm.
class SequenceStage {
public:
  explicit SequenceStage(const SequenceRun& run) : worker_(run.worker) {
    auto model
      = make_char_lstm<float>(run.problem->spec(), {.width = 3, .hidden = 4, .carry = run.carry});
    auto optimizer = make_optimizer(AdamOptions{}, model->layout().size());
    const BatchOrder order{{.examples = run.problem->size(Section::train),
                            .batch_size = 10,
                            .shuffle = run.shuffle,
                            .endless = run.problem->endless(),
                            .shards = static_cast<Index>(run.workers),
                            .shard = static_cast<Index>(run.worker),
                            .key = RandomKey{5}.derive(run.worker)}};
    per_epoch_ = order.batches_per_epoch();
    const auto learner
      = std::make_shared<HostLearner>(run.problem, std::move(model), std::move(optimizer), order);
    learner->initialize({6});
    TrainerOptions options;
    options.worker = run.worker;
    if (run.ahead > 0) {
      options.ahead = run.ahead;
      options.loader = world.keep(spawn_scheduled_loader(world.system, learner->reader()));
    }
    trainer = world.keep(spawn_trainer(world.system, learner, logger, options));
  }

  /// Trains until this many batches in total, and until their epoch, if it ends there, is over.
  void train_to(Step batches) {
    const auto enough = [batches](const LoopEvent& event) {
      GateAnswer answer;
      answer.finish = event.position.batches >= batches;
      return answer;
    };
    const auto name = "until " + std::to_string(batches);
    const auto condition
      = batches % per_epoch_ == 0 ? trigger("after_epoch") : trigger("after_batch");
    REQUIRE(world.ask<Subscribed>(
      trainer, SubscribeGate{name, condition, recording_gate(world, new_trace(), name, enough)}));
    const Pending<Finished> finished{world, trainer, Start{}};
    world.run();
    REQUIRE(finished.answered());
    REQUIRE(finished->position.batches == batches);
  }

  SavedTrainer state() {
    auto saved = world.ask<SavedTrainer>(trainer, Save{});
    REQUIRE(saved);
    return *saved;
  }

  /// The record curriculum_length after so many epochs; -1 if there is none.
  std::int64_t recorded_length(Epoch epochs) {
    const auto row = world.ask<Row>(logger, ReadRow{{worker_, epochs * per_epoch_}, false});
    REQUIRE(row);
    const auto found = row->records.find("curriculum_length");
    return found == row->records.end() ? -1 : std::get<std::int64_t>(found->second);
  }

  DeterministicSystem world;
  Logger logger = world.keep(spawn_logger(world.system));
  Trainer trainer;

private:
  WorkerId worker_;
  Step per_epoch_ = 0;
};

/// 9 batches an epoch, of sequences of 2, 3, 4, 4, ... symbols.
SequenceRun growing_recalls() {
  return {std::make_shared<SerialRecall>(
    RecallOptions{.symbols = 3, .max_length = 4, .train = 90, .curriculum = {.initial = 2}})};
}

/// Two trainers one after the other: the second resumes from what the first has saved.
Block parameters_in_two_parts(const SequenceRun& run, Step part, Step whole) {
  SequenceStage first{run}, second{run};
  first.train_to(part);
  REQUIRE(second.world.ask<Restored>(second.trainer, Restore{first.state()}));
  second.train_to(whole);
  return second.state().parameters.values;
}

Block parameters_after(const SequenceRun& run, Step batches) {
  SequenceStage stage{run};
  stage.train_to(batches);
  return stage.state().parameters.values;
}

} // namespace

TEST_CASE("the log has the length of sequences after each epoch", "[M29]") {
  SequenceStage stage{growing_recalls()};
  stage.train_to(36);
  for (Epoch epochs = 1; epochs <= 4; ++epochs)
    CHECK(stage.recorded_length(epochs) == std::min<std::int64_t>(epochs + 1, 4));
}

TEST_CASE("the log of a run without a curriculum has no length", "[M29]") {
  SequenceStage stage{
    {std::make_shared<SerialRecall>(RecallOptions{.max_length = 4, .train = 20})}};
  stage.train_to(2);
  CHECK(stage.recorded_length(1) == -1);
}

TEST_CASE("training that is resumed within a curriculum gives the bits of uninterrupted training",
          "[M29][B45]") {
  const auto whole = parameters_after(growing_recalls(), 30);
  const Step part = GENERATE(5, 9, 13);
  CHECK(parameters_in_two_parts(growing_recalls(), part, 30) == whole);
}

TEST_CASE("batches that are read ahead have the length of their own epoch", "[M29][loader]") {
  auto ahead = growing_recalls();
  ahead.ahead = 7;
  CHECK(parameters_after(ahead, 30) == parameters_after(growing_recalls(), 30));
}

TEST_CASE("two workers have sequences of the same length in each epoch", "[M29]") {
  for (WorkerId worker : {0, 1}) {
    auto run = growing_recalls();
    run.worker = worker;
    run.workers = 2;
    SequenceStage stage{run};
    stage.train_to(20); // of 5 an epoch
    for (Epoch epochs = 1; epochs <= 4; ++epochs)
      CHECK(stage.recorded_length(epochs) == std::min<std::int64_t>(epochs + 1, 4));
  }
}

TEST_CASE("training that carries its state resumes to the bits of uninterrupted training",
          "[carry][B45]") {
  const DataFolder folder;
  std::string letters;
  Random random{{3}};
  for (int i = 0; i < 1000; ++i)
    letters += static_cast<char>('a' + random.below(5));
  SequenceRun run{std::make_shared<Text>(TextOptions{
                    .path = folder.write("a.txt", letters), .length = 8, .streams = 10}),
                  false, true};
  const auto whole = parameters_after(run, 14); // of 9 an epoch
  const Step part = GENERATE(4, 9, 11);
  CHECK(parameters_in_two_parts(run, part, 14) == whole);
  auto other = run;
  other.ahead = 3;
  CHECK(parameters_after(other, 14) == whole);
  other.carry = false;
  CHECK_FALSE(parameters_after(other, 14).size() == whole.size());
}
