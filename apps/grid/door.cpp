#include "troupe/apps/grid/door.hpp"

#include "troupe/apps/exit_codes.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/grid_wire.hpp"
#include "troupe/messages/lent_folders.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/io/middleman.hpp>
#include <caf/openssl/publish.hpp>
#include <caf/openssl/remote_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace troupe {

namespace {

GridConnector::behavior_type grid_connector(GridConnector::pointer self, const Endpoint& endpoint,
                                            const Trust& trust) {
  return {
    [=](const ConnectGrid&) -> caf::result<GridRoute> {
      auto& system = self->system();
      const auto door
        = trust.identity
            ? caf::openssl::remote_actor<GridDoor>(system, endpoint.host, endpoint.port)
            : system.middleman().remote_actor<GridDoor>(endpoint.host, endpoint.port);
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

GridSystemConfig::GridSystemConfig(std::size_t threads, const Trust& trust)
  : NodeSystemConfig(threads, trust) {
  add_grid_messages(*this);
}

std::uint16_t publish_grid(const GridHost& host, const Endpoint& endpoint, const Trust& trust) {
  const GridDoor door = host;
  auto& system = host.home_system();
  const auto bound
    = trust.identity ? caf::openssl::publish(door, endpoint.port, endpoint.host.c_str(), true)
                     : system.middleman().publish(door, endpoint.port, endpoint.host.c_str(), true);
  if (!bound)
    throw IoError("the grid cannot listen on " + to_string(endpoint) + ": "
                  + sentence(bound.error())
                  + "; is the port taken, or the address another machine's?");
  return *bound;
}

GridConnector spawn_grid_connector(caf::actor_system& system, const Endpoint& endpoint,
                                   const Trust& trust) {
  return system.spawn<caf::detached>(grid_connector, endpoint, trust);
}

} // namespace troupe
