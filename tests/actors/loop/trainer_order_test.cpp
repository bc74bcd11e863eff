#include "actors/loop/trainer.hpp"
#include "extensions/stopping/finish_after.hpp"
#include "tests/support/recorders.hpp"
#include "tests/support/toy_problem.hpp"

using namespace troupe;
using namespace troupe::test;

TEST_CASE("callbacks come in Blocks' order", "[B1]") {
  DeterministicSystem world;
  auto problem = std::make_shared<ToyProblem>(30);
  auto trainer = world.keep(spawn_trainer(world.system, toy_learner(problem), {}));
  auto trace = new_trace();
  auto gate = recording_gate(world, trace);
  auto finish = world.keep(spawn_finish_after(world.system, "2 epochs are done"));
  REQUIRE(world.ask<Subscribed>(trainer, SubscribeGate{"trace", every_callback(), gate}));
  REQUIRE(world.ask<Subscribed>(
    trainer, SubscribeGate{"finish", trigger("after_n_epochs", Value{std::int64_t{2}}), finish}));
  auto finished = world.ask<Finished>(trainer, Start{});
  REQUIRE(finished);
  CHECK(finished->outcome == Outcome::finished);
  CHECK(finished->causes == std::vector<std::string>{"2 epochs are done"});
  CHECK(*trace
        == std::vector<std::string>{
          "before_training 0", "before_epoch 0", "before_batch 0", "after_batch 1",
          "before_batch 1", "after_batch 2", "before_batch 2", "after_batch 3", "after_epoch 3",
          "before_epoch 3", "before_batch 3", "after_batch 4", "before_batch 4", "after_batch 5",
          "before_batch 5", "after_batch 6", "after_epoch 6", "after_training 6"});
}
