// What a sync counts as its cost, on a real clock: virtual time stands still while blocks are
// copied.
#include "troupe/actors/parameter_holder.hpp"
#include "troupe/extensions/shared_params_auto_sync.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>

using namespace troupe;

namespace {

using RealClock = std::chrono::steady_clock;

} // namespace

TEST_CASE("a sync costs what the copies of its answer take, too", "[rate_limit][L15][L16]") {
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  const auto size = Index{1'000'000};
  Layout layout;
  layout.add("w", {size});
  ParameterSyncOptions options;
  options.rule = Rule::easgd;
  options.optimizer_state = true;
  options.timing_log = true;
  const auto holder = spawn_parameter_holder(system);
  const auto sync = spawn_shared_params_auto_sync(system, options, holder, layout);
  AskGate ask;
  ask.event.callback = Callback::before_training;
  ask.event.parameters.values = Block{size};
  for (const auto* name : {"m", "v"})
    ask.event.optimizer_slots.push_back({name, Block{size}});
  const auto cost_of_gate = [&] { // what it says, as a share of what whoever asks waits
    auto share = 0.0;
    const auto began = RealClock::now();
    self->request(caf::actor_cast<Gate>(sync), caf::infinite, ask)
      .receive(
        [&](const GateAnswer& answer) {
          const std::chrono::duration<double> waited = RealClock::now() - began;
          if (const auto found = answer.records.find("param_sync_duration");
              found != answer.records.end())
            share = *as_number(found->second) / waited.count();
        },
        [](const caf::error& error) { FAIL(sentence(error)); });
    return share;
  };
  cost_of_gate(); // joins
  ask.event.callback = Callback::after_batch;
  auto share = 0.0;
  for (auto i = 0; i < 5; ++i) // the machine may be busy with something else meanwhile
    share = std::max(share, cost_of_gate());
  CHECK(share > 0.85);
  CHECK(share <= 1);
  caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
}
