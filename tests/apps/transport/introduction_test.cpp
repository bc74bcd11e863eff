#include "apps/transport/introduction.hpp"
#include "messages/wire/local_system.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

/// Answers each Introduce but the first ones. The system ends after it, since a promise keeps its
/// actor alive.
struct LossyEntry {
  int lost = 0;
  std::atomic<int> asked = 0;
  std::vector<caf::typed_response_promise<Introduced>> unanswered = {};
};

EntryPoint::behavior_type lossy_entry(EntryPoint::pointer self, LossyEntry* state) {
  return {[=](const Introduce&) {
            auto promise = self->make_response_promise<Introduced>();
            if (++state->asked > state->lost)
              promise.deliver(Introduced{"key"});
            else
              state->unanswered.push_back(promise);
            return promise;
          },
          [](Envelope& envelope) { return std::move(envelope); }};
}

} // namespace

TEST_CASE("an introduction whose answer is lost is made again", "[R9]") {
  LocalSystem system;
  LossyEntry state{.lost = 1};
  const auto entry = system.spawn(lossy_entry, &state);
  CHECK(introduce(system, entry, {protocol_version, "holder", ""}, 3s));
  CHECK(state.asked >= 2);
}

TEST_CASE("an introduction that is never answered ends at its deadline", "[R9]") {
  LocalSystem system;
  LossyEntry state{.lost = 99};
  const auto entry = system.spawn(lossy_entry, &state);
  const auto made = introduce(system, entry, {protocol_version, "holder", ""}, 310ms);
  REQUIRE_FALSE(made);
  CHECK(made.error() == caf::sec::request_timeout);
  CHECK(state.asked > 1);
}
