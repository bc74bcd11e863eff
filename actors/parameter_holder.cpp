#include "troupe/actors/parameter_holder.hpp"

#include "troupe/messages/parameter_store.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace troupe {

namespace {

struct ParameterHolderState {
  static constexpr const char* name = "parameter holder";
  ParameterStore store;
};

ParameterHolder::behavior_type
parameter_holder(ParameterHolder::stateful_pointer<ParameterHolderState> self) {
  auto& store = self->state.store;
  return {
    [&store](const Join& join) { return store.join(join); },
    [&store](const CreateIfAbsent& create) { return store.create_if_absent(create); },
    [&store](const Pull&) { return store.pull(); },
    [&store](const Push& push) { return store.push(push); },
    [&store](const Exchange& exchange) { return store.exchange(exchange.push); },
    [&store](const PullPart& pull) { return store.pull_part(pull.selection); },
    [&store](const PushPart& push) { return store.push_part(push); },
    [&store](const Leave& leave) { store.leave(leave.worker); },
    [&store](const GetHolderStatus&) { return store.status(); },
  };
}

} // namespace

ParameterHolder spawn_parameter_holder(caf::actor_system& system) {
  return system.spawn(parameter_holder);
}

} // namespace troupe
