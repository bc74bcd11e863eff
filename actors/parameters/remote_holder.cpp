#include "actors/parameters/remote_holder.hpp"

#include "actors/parameters/remote_holder_state.hpp"
#include "messages/requests/error.hpp"

namespace troupe {

namespace {

caf::error for_holder_only(const std::string& request, WorkerId worker) {
  return fail(Error::invalid_options, request + " is for a parameter holder itself, not for worker "
                                        + std::to_string(worker)
                                        + "'s connection to it; send it on the holder's node");
}

RemoteHolderActor::behavior_type remote_holder(RemoteHolderState::Self self, Connector connector,
                                               const RemoteHolderOptions& options) {
  auto& state = self->state;
  state.begin(self, std::move(connector), options);
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
    [worker = options.worker](const SaveHolder&) -> caf::result<SavedHolder> {
      return for_holder_only("SaveHolder", worker);
    },
    [worker = options.worker](const RestoreHolder&) -> caf::result<Joined> {
      return for_holder_only("RestoreHolder", worker);
    },
    [&state](const Watch& watch) { state.watch(watch.trainer); },
    [&state](const CheckShards&) { state.poll(); },
  };
}

} // namespace

RemoteHolder spawn_remote_holder(caf::actor_system& system, Connector connector,
                                 RemoteHolderOptions options) {
  return system.spawn(remote_holder, std::move(connector), std::move(options));
}

} // namespace troupe
