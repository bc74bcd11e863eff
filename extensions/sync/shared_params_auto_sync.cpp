#include "extensions/sync/shared_params_auto_sync.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/sync/sync_defects.hpp"
#include "messages/wire/type_ids.hpp"

namespace troupe {

namespace {

struct AutoSyncState {
  static constexpr const char* name = "shared params auto sync";
  std::optional<ParameterSync> sync;
};

Extension::behavior_type auto_sync(Extension::stateful_pointer<AutoSyncState> self,
                                   ParameterSyncOptions options, ParameterHolder holder,
                                   Layout layout, HolderFate fate) {
  auto& sync = self->state.sync.emplace(self, options, std::move(holder), std::move(layout), fate);
  return {
    [](const LoopEvent&) {}, // an observer cannot change parameters
    [&sync](const AskGate& ask) -> caf::typed_response_promise<GateAnswer> {
      const auto& event = ask.event;
      if (event.callback == Callback::before_training)
        return sync.join(event);
      if (!event.done && !sync.must_wait())
        return sync.exchange(event, [](double, double) {});
      if (!event.done)
        return sync.skip();
      return sync.leave(event);
    },
    [](const Drain&) { return Drained{}; },
    saves(sync),
    restores(sync),
  };
}

} // namespace

Conditions shared_params_auto_sync_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"before_training", "on_interrupt", "after_training", "on_error"})
    conditions.set_trigger(trigger, true);
  return conditions;
}

Extension spawn_shared_params_auto_sync(caf::actor_system& system, ParameterSyncOptions options,
                                        ParameterHolder holder, Layout layout, HolderFate fate) {
  check(options);
  check(options, layout);
  return system.spawn(auto_sync, options, std::move(holder), std::move(layout), fate);
}

namespace {

Sentences without_trigger(const ParameterSyncOptions&, const ConfiguredExtension& self,
                          const ExtensionContext&) {
  if (syncs_while_training(self.conditions))
    return {};
  return {
    "has no trigger, so it never syncs after the start, and what the main worker learns alone "
    "is the result; give it one, like every_n_batches: 10"};
}

const RegisterExtension auto_sync_kind{ExtensionOf<ParameterSyncOptions>{
  .name = "shared_params_auto_sync",
  .gate = true,
  .workers = "all",
  .on_end = OnLoss::fail,
  .deadline = no_deadline,
  .defaults = ParameterSyncOptions(),
  .conditions = shared_params_auto_sync_conditions,
  .spawn =
    [](const ParameterSyncOptions& options, const ExtensionContext& context) {
      return spawn_shared_params_auto_sync(context.system, options, context.holder(),
                                           context.layout, fate_of_holder(context));
    },
  .writes = {"param_sync_*"},
  .shows_with = [](const ParameterSyncOptions& options) { return shows_for(options); },
  .hooks = {.defects = sync_defects,
            .warnings = without_trigger,
            .shares = [](const ParameterSyncOptions& options,
                         const ConfiguredExtension&) { return sharing_of(options); }},
}};

} // namespace

} // namespace troupe
