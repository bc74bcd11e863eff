// The extension of docs/how-to/own_extension.md.
#include "extensions/support/saved_state.hpp"
#include "tests/support/extension_stage.hpp"

#include <caf/typed_event_based_actor.hpp>

using namespace troupe::test;

namespace {

struct Slope {
  double loss = 0;

  troupe::SavedFields state() const { return {{"loss", troupe::Value{loss}}}; }
  void restore(const troupe::SavedFields& saved) { troupe::take(saved, "loss", loss); }
};

troupe::Extension::behavior_type slope(troupe::Extension::stateful_pointer<Slope> self) {
  auto& state = self->state;
  return {
    [](const troupe::LoopEvent&) {}, // it is not an observer
    [&state](const troupe::AskGate& ask) {
      troupe::GateAnswer answer;
      answer.records["loss_fell_by"] = troupe::Value{state.loss - ask.event.loss};
      state.loss = ask.event.loss;
      return answer;
    },
    [](const troupe::Drain&) { return troupe::Drained{}; }, // it has nothing in flight
    troupe::saves(state),
    troupe::restores(state),
  };
}

} // namespace

TEST_CASE("the custom extension of the docs is saved and resumed", "[own extension][B28][B45]") {
  Stage stage{{.step_duration = 0}};
  const auto first = stage.world.spawn(slope);
  stage.gate("slope", trigger("after_batch"), first);
  stage.finish_after(2);
  const auto loss = stage.run().totals.batch_loss.value(); // of two batches
  const auto saved = stage.world.ask<troupe::SavedExtension>(first, troupe::SaveExtension{});
  REQUIRE(saved);
  const auto last = number_in(saved->state, "loss");
  CHECK(number_in(stage.row(1), "loss_fell_by") == Approx(last - loss)); // 0 minus the first
  CHECK(number_in(stage.row(2), "loss_fell_by") == Approx(loss - 2 * last));

  const auto second = stage.world.spawn(slope);
  REQUIRE(stage.world.ask<troupe::Restored>(second, troupe::RestoreExtension{saved->state}));
  troupe::LoopEvent event;
  event.loss = last - 1;
  const auto answer = stage.world.ask<troupe::GateAnswer>(second, troupe::AskGate{event, {}});
  REQUIRE(answer);
  CHECK(number_in(answer->records, "loss_fell_by") == Approx(1));
}
