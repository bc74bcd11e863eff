#include "extensions/stopping/finish_after.hpp"
#include "tests/support/extension_stage.hpp"

using namespace troupe;
using namespace troupe::test;

TEST_CASE("finish_after ends training after its batch", "[finish_after][B6]") {
  Stage stage;
  stage.finish_after(4);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.causes == std::vector<std::string>{"it is enough"});
  CHECK(finished.position.batches == 4);
}

TEST_CASE("an extension after finish_after still sees the callback, and the end",
          "[finish_after][B6]") {
  Stage stage;
  auto trace = new_trace();
  auto events = std::make_shared<std::vector<LoopEvent>>();
  stage.finish_after(2);
  stage.gate("later gate", every_callback(), recording_gate(stage.world, trace));
  stage.observe("later observer", every_callback(),
                caf::actor_cast<Extension>(recording_observer(stage.world, events)));
  stage.run();
  const std::vector<std::string> end(trace->end() - 2, trace->end());
  CHECK(end == std::vector<std::string>{"after_batch 2", "after_training 2"});
  REQUIRE(events->size() == trace->size());
  CHECK((events->end() - 2)->callback == Callback::after_batch);
}

TEST_CASE("the row has the request to end training and its reason", "[finish_after][B6]") {
  Stage stage;
  stage.finish_after(2);
  stage.run();
  CHECK(text_in(stage.row(2), "training_finish_requested") == "it is enough");
  CHECK(stage.row(1).empty());
}

TEST_CASE("two extensions that end training at the same batch are both named, in order",
          "[finish_after][B6]") {
  Stage stage;
  stage.finish_after(3);
  const auto epoch = stage.world.keep(spawn_finish_after(stage.world.system, "3 s are over"));
  stage.gate("time", trigger("every_n_seconds", Value{3.0}), epoch);
  CHECK(stage.run().causes == std::vector<std::string>{"it is enough", "3 s are over"});
}

TEST_CASE("finish_after before training ends it before the first batch", "[finish_after][B6]") {
  Stage stage;
  const auto finish = stage.world.keep(spawn_finish_after(stage.world.system, "nothing to do"));
  stage.gate("finish", trigger("before_training"), finish);
  CHECK(stage.run().position.batches == 0);
}

TEST_CASE("finish_after has nothing to drain", "[finish_after]") {
  Stage stage;
  const auto finish = stage.world.keep(spawn_finish_after(stage.world.system, ""));
  CHECK(stage.world.ask<Drained>(finish, Drain{}));
}
