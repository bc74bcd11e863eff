#include "extensions/monitoring/profile.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/in_flight.hpp"
#include "extensions/support/saved_state.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/timing/time_report.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>

namespace troupe {

namespace {

constexpr auto status_deadline = std::chrono::seconds{30};

struct ProfileState {
  static constexpr const char* name = "profile";
  InFlight in_flight;
};

Extension::behavior_type profile(Extension::stateful_pointer<ProfileState> self,
                                 const Trainer& trainer, const Logger& logger) {
  const auto report = [=] {
    const auto ticket = self->state.in_flight.begin();
    request_within(self, trainer, status_deadline, GetStatus{})
      .then(
        [=](const Status& status) {
          self->send(logger, Say{Level::info, "where the time went:\n"
                                                + print_time_report(time_report(status))});
          self->state.in_flight.end(ticket);
        },
        [=](const caf::error& error) {
          self->send(logger, Say{Level::warning,
                                 "there is no profile: the trainer answered: " + sentence(error)});
          self->state.in_flight.end(ticket);
        });
  };
  return {
    [report](const LoopEvent&) { report(); },
    [report](const AskGate&) {
      report();
      return GateAnswer{};
    },
    [self](const Drain&) { return self->state.in_flight.drain(self); },
    [self](const SaveExtension&) { return self->state.in_flight.save(self); },
    restores_nothing,
  };
}

} // namespace

Conditions profile_conditions() {
  Conditions conditions;
  conditions.set_trigger("after_training", true);
  return conditions;
}

Extension spawn_profile(caf::actor_system& system, Trainer trainer, Logger logger) {
  return system.spawn(profile, std::move(trainer), std::move(logger));
}

namespace {

const RegisterExtension profile_kind{ExtensionOf<NoOptions>{
  .name = "profile",
  .conditions = profile_conditions,
  .spawn =
    [](const NoOptions&, const ExtensionContext& context) {
      return spawn_profile(context.system, context.trainer(), context.logger);
    },
}};

} // namespace

} // namespace troupe
