#include "actors/loop/loader.hpp"

#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace troupe {

namespace {

struct LoaderState {
  static constexpr const char* name = "loader";
  std::optional<BatchReader> reader;
};

Loader::behavior_type loader(Loader::stateful_pointer<LoaderState> self,
                             const BatchReader& reader) {
  self->state.reader = reader;
  return {[self](PrepareBatch& request) {
    self->state.reader->try_to_read(request.batch.cursor, request.batch);
    return BatchPrepared{std::move(request.batch)};
  }};
}

} // namespace

Loader spawn_loader(caf::actor_system& system, BatchReader reader) {
  return system.spawn<caf::detached>(loader, std::move(reader));
}

Loader spawn_scheduled_loader(caf::actor_system& system, BatchReader reader) {
  return system.spawn(loader, std::move(reader));
}

} // namespace troupe
