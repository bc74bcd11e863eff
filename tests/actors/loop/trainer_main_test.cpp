// One of several workers is main: what only it does is not even checked by the others.
#include "actors/run_actors.hpp"
#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

SubscribeGate main_only_gate(TrainerStage& stage, const Trace& trace) {
  SubscribeGate gate{"main_only", trigger("after_batch"),
                     recording_gate(stage.world, trace, "main_only")};
  gate.main_only = true;
  return gate;
}

std::size_t asked(const Trace& trace) { return trace->size(); }

} // namespace

TEST_CASE("subscriptions for the main worker only take effect there only", "[T15][T21][B52]") {
  TrainerStage stage;
  const auto all = new_trace(), main_only = new_trace();
  stage.subscribe(
    SubscribeGate{"all", trigger("after_batch"), recording_gate(stage.world, all, "all")});
  stage.subscribe(main_only_gate(stage, main_only));
  const auto main = GENERATE(true, false);
  stage.world.self->send(stage.trainer, BeMain{main});
  stage.finish_after(5);
  const auto finished = stage.run();
  CHECK(finished.main == main);
  CHECK(asked(all) > 0);
  CHECK(asked(main_only) == (main ? asked(all) : 0));
}

TEST_CASE("each worker has an order of its own, and the same each time", "[L25]") {
  const auto order = [](WorkerId worker, std::uint64_t seed) {
    BatchOrderOptions options;
    options.examples = 50;
    options.batch_size = 50;
    options.shuffle = true;
    options.key = shuffle_key(seed, worker);
    std::vector<Index> rows;
    BatchOrder{options}.rows(0, rows);
    return rows;
  };
  CHECK(order(0, 7) == order(0, 7));
  CHECK(order(0, 7) != order(1, 7));
  CHECK(order(0, 7) != order(0, 8));
}

TEST_CASE("the workers of one run read their shards in different orders, and each repeats its own",
          "[L25]") {
  static constexpr Index rows = 60;
  /// The rows of its shard in the order in which a worker reads them.
  const auto places = [](WorkerId worker, WorkerId workers) {
    const auto problem = std::make_shared<ToyProblem>(rows);
    RunActorsOptions options;
    options.problem = problem;
    options.model = std::make_shared<ToyModel>();
    options.make_optimizer = [](Index size) { return make_optimizer(SgdOptions{}, size); };
    options.order.batch_size = 10;
    options.order.shuffle = true;
    options.workers = workers;
    options.seed = 7;
    const auto learner = make_learner(options, worker);
    for (Step batch = 0; batch < 3; ++batch)
      learner->read(batch);
    auto read = problem->asked();
    for (auto& row : read)
      row /= workers;
    return read;
  };
  const auto first = places(0, 2), second = places(1, 2);
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted.back() == rows / 2 - 1); // all of its shard
  CHECK(first != second);
  CHECK(first == places(0, 2));
  CHECK(second == places(1, 2));
}
