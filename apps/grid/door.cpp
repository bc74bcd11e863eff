#include "troupe/apps/grid/door.hpp"

#include "troupe/apps/reached_actor.hpp"
#include "troupe/messages/grid_wire.hpp"
#include "troupe/messages/lent_folders.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace troupe {

namespace {

GridConnector::behavior_type grid_connector(GridConnector::pointer self, const Endpoint& endpoint,
                                            const Trust& trust) {
  return {
    [=](const ConnectGrid&) -> caf::result<GridRoute> {
      const auto door = reach_actor<GridDoor>(self->system(), endpoint, trust);
      if (!door)
        return fail(Error::unavailable,
                    to_string(endpoint) + " does not answer: " + sentence(door.error()));
      return GridRoute{to_string(endpoint), *door};
    },
    [](const ReadWord& read) { return WordRead{read_word(read.folder)}; },
  };
}

} // namespace

Trust trust_of(const GridTrust& given, const std::string& host) {
  std::optional<Identity> identity;
  if (!given.certs.empty())
    identity = identity_in(given.certs, given.name);
  return check_trust(identity, given.insecure, host);
}

GridSystemConfig::GridSystemConfig(std::size_t threads) : NodeSystemConfig(threads) {
  add_grid_messages(*this);
}

GridConnector spawn_grid_connector(caf::actor_system& system, const Endpoint& endpoint,
                                   const Trust& trust) {
  return system.spawn<caf::detached>(grid_connector, endpoint, trust);
}

} // namespace troupe
