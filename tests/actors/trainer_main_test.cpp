// One worker of several is main: what only it does is not even looked at by the others.
#include "troupe/actors/cast.hpp"
#include "troupe/tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

SubscribeGate chief_only(TrainerStage& stage, const Trace& trace) {
  SubscribeGate gate{"chief", trigger("after_batch"), recording_gate(stage.world, trace, "chief")};
  gate.main_only = true;
  return gate;
}

std::size_t asked(const Trace& trace) { return trace->size(); }

} // namespace

TEST_CASE("what is for the main worker only happens there only", "[T15][T21][B52]") {
  TrainerStage stage;
  const auto everybody = new_trace(), chief = new_trace();
  stage.subscribe(
    SubscribeGate{"all", trigger("after_batch"), recording_gate(stage.world, everybody, "all")});
  stage.subscribe(chief_only(stage, chief));
  const auto main = GENERATE(true, false);
  stage.world.self->send(stage.trainer, BeMain{main});
  stage.finish_after(5);
  const auto finished = stage.run();
  CHECK(finished.main == main);
  CHECK(asked(everybody) > 0);
  CHECK(asked(chief) == (main ? asked(everybody) : 0));
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
