#include "actors/parameters/remote_holder.hpp"

#include "actors/parameters/remote_holder_state.hpp"

namespace troupe {

namespace {

RemoteHolderActor::behavior_type remote_holder(RemoteHolderState::Self self, Connector connector,
                                               RemoteHolderOptions options) {
  auto& state = self->state;
  state.begin(self, std::move(connector), std::move(options));
  self->set_down_handler([&state](const caf::down_msg& down) { state.connection_ended(down); });
  return {
    [&state](const Join& join) { return state.join(join); },
    [&state](const Renew&) -> caf::result<Renewed> { return state.renewed(); },
    [&state](const CreateIfAbsent& create) { return state.create(create); },
    [&state](const Pull&) { return state.pull(); },
    [&state](const Await& await) { return state.await(await.after); },
    [&state](Push& push) { return state.push(push); },
    [&state](Exchange& exchange) { return state.exchange(exchange); },
    [&state](const PullPart& pull) { return state.pull_part(pull); },
    [&state](const PushPart& push) { return state.push_part(push); },
    [&state](const Leave&) { state.leave(); },
    [&state](const StopAll& stop) { state.stop_all(stop); },
    [](const UseBlockPort&) {},
    [&state](const GetHolderStatus&) { return state.status(); },
    [&state](const SaveHolder&) -> caf::result<SavedHolder> {
      return state.not_here("SaveHolder");
    },
    [&state](const RestoreHolder&) -> caf::result<Joined> {
      return state.not_here("RestoreHolder");
    },
    [&state](const Watch& watch) { state.watch(watch.trainer); },
    [&state](const CheckShards&) { state.look(); },
  };
}

} // namespace

RemoteHolder spawn_remote_holder(caf::actor_system& system, Connector connector,
                                 RemoteHolderOptions options) {
  return system.spawn(remote_holder, std::move(connector), std::move(options));
}

} // namespace troupe
