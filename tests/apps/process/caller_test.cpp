#include "apps/simulate/virtual_system.hpp"
#include "messages/requests/caller.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <catch2/catch.hpp>

#include <chrono>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

using Later = caf::typed_actor<caf::replies_to<int>::with<int>, caf::reacts_to<std::uint64_t>>;

/// Answers after an hour.
Later::behavior_type slow(Later::stateful_pointer<caf::typed_response_promise<int>> self) {
  return {
    [=](int question) {
      self->state = self->make_response_promise<int>();
      self->delayed_send(self, 3600s, static_cast<std::uint64_t>(2 * question));
      return self->state;
    },
    [=](std::uint64_t answer) { self->state.deliver(static_cast<int>(answer)); },
  };
}

} // namespace

TEST_CASE("a wait under virtual time advances the clock until the answer is there", "[R10]") {
  VirtualSystem world;
  const auto actor = world.system().spawn(slow);
  {
    const Caller caller{world.system()};
    auto answer = 0;
    caller->request(actor, caf::infinite, 21)
      .receive([&](int found) { answer = found; }, [](const caf::error&) {});
    CHECK(answer == 42);
    CHECK(world.now() == Approx(3600));
  }
}
