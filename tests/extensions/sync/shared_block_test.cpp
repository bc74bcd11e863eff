#include "extensions/sync/shared_block.hpp"
#include "tests/support/holder_checks.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

using Names = std::vector<std::string>;

Layout two_weights() {
  Layout layout;
  layout.add("w", {2});
  return layout;
}

/// An event of a worker that trains with Adam.
LoopEvent seen_by_sync() {
  LoopEvent event;
  event.parameters.values = block_of({1, 2});
  event.optimizer_slots = {{"mean", block_of({3, 4})}, {"variance", block_of({5, 6})}};
  event.optimizer_steps = 9;
  event.gradient = block_of({7, 8});
  return event;
}

Names names_in(const Layout& layout) {
  Names names;
  for (const auto& parameter : layout.parameters())
    names.push_back(parameter.name);
  return names;
}

} // namespace

TEST_CASE("parameters shared alone are not copied", "[auto_sync]") {
  SharedBlock shared{{}, two_weights()};
  const auto event = seen_by_sync();
  const auto block = shared.gather(event);
  CHECK(block.view().data() == event.parameters.values.view().data());
  CHECK(shared.layout() == two_weights());
  const auto answer = shared.answer(block);
  CHECK(answer.parameters.view().data() == block.view().data());
  CHECK(answer.optimizer_slots.empty());
  CHECK(answer.gradient.empty());
}

TEST_CASE("slots and gradient follow the parameters in the block, and are restored from it",
          "[auto_sync]") {
  SharedBlock shared{{.rule = {"gradient_average"}, .optimizer_state = true}, two_weights()};
  const auto block = shared.gather(seen_by_sync());
  CHECK(floats_of(block) == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(names_in(shared.layout()) == Names{"w", "w_mean", "w_variance", "w_gradient"});
  CHECK(shared.layout().find("w")->role == ParameterRole::trained);
  CHECK(shared.layout().find("w_variance")->role == ParameterRole::statistic);
  const auto answer = shared.answer(block);
  CHECK(floats_of(answer.parameters) == std::vector<float>{1, 2});
  REQUIRE(answer.optimizer_slots.size() == 2);
  CHECK(answer.optimizer_slots[1] == SavedSlot{"variance", block_of({5, 6})});
  CHECK(answer.optimizer_steps == 9); // the worker's own: the number of steps is not shared
  CHECK(floats_of(answer.gradient) == std::vector<float>{7, 8});
}

TEST_CASE("an answer with parameters alone replaces nothing else", "[auto_sync]") {
  SharedBlock shared{{.optimizer_state = true}, two_weights()};
  shared.name_parts(seen_by_sync());
  CHECK(names_in(shared.layout()) == Names{"w", "w_mean", "w_variance"});
  const auto answer = shared.answer(block_of({9, 9}));
  CHECK(floats_of(answer.parameters) == std::vector<float>{9, 9});
  CHECK(answer.optimizer_slots.empty());
}
