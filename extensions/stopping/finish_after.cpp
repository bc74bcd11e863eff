#include "extensions/stopping/finish_after.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace troupe {

namespace {

Extension::behavior_type finish_after(Extension::pointer, const std::string& reason) {
  return {
    [](const LoopEvent&) {},
    [reason](const AskGate&) {
      GateAnswer answer;
      answer.finish = true;
      answer.reason = reason;
      return answer;
    },
    [](const Drain&) { return Drained{}; },
    saves_nothing,
    restores_nothing,
  };
}

} // namespace

Extension spawn_finish_after(caf::actor_system& system, std::string reason) {
  return system.spawn(finish_after, std::move(reason));
}

namespace {

struct FinishAfterOptions {
  std::string reason
    = "finish_after asked for it"; ///< the cause of the end, for messages and the log
  TROUPE_FIELDS(reason);
};

/// The earliest of the moments that its conditions give, as far as they are known beforehand.
ExpectedEnd scheduled_end(const FinishAfterOptions&, const ConfiguredExtension& self) {
  ExpectedEnd end;
  for (const auto& condition : self.conditions.all()) {
    const auto& schedule = condition.schedule;
    if (schedule.kind() != Schedule::Kind::at || !condition.predicate.empty()
        || !condition.record.empty())
      continue;
    if (schedule.timeline() == "batches")
      end.take_earlier({.batches = static_cast<Step>(schedule.times().front())});
    else if (schedule.timeline() == "seconds")
      end.take_earlier({.seconds = schedule.times().front()});
  }
  return end;
}

const RegisterExtension finish_after_kind{ExtensionOf<FinishAfterOptions>{
  .name = "finish_after",
  .gate = true,
  .workers = "all",
  .on_end = OnLoss::fail,
  .spawn =
    [](const FinishAfterOptions& options, const ExtensionContext& context) {
      return spawn_finish_after(context.system, options.reason);
    },
  .writes = {finish_requested},
  .hooks = {.ends = scheduled_end},
}};

} // namespace

} // namespace troupe
