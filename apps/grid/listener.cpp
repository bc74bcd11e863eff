#include "apps/grid/listener.hpp"

#include "actors/access/entry_point.hpp"
#include "apps/transport/introduction.hpp"
#include "apps/transport/node_system.hpp"
#include "apps/transport/reached_actor.hpp"
#include "apps/transport/token.hpp"
#include "apps/transport/trust.hpp"
#include "messages/grid/grid_access_rules.hpp"
#include "messages/grid/grid_wire.hpp"
#include "messages/grid/leased_folders.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace troupe {

namespace {

constexpr const char* grid_name = "grid";
constexpr auto grid_introduction_deadline = std::chrono::seconds{3};

GridConnector::behavior_type grid_connector(GridConnector::pointer self, const Endpoint& endpoint,
                                            const Trust& trust, const std::string& token) {
  return {
    [=](const ConnectGrid&) -> caf::result<GridRoute> {
      const auto silent = [&](const caf::error& error) {
        return fail(Error::unavailable,
                    to_string(endpoint) + " does not answer: " + sentence(error));
      };
      const auto entry = reach_actor<EntryPoint>(self->system(), endpoint, trust);
      if (!entry)
        return silent(entry.error());
      const auto made = introduce_to<GridListener>(self->system(), *entry, grid_name, token,
                                                   grid_introduction_deadline);
      if (!made)
        return made.error() == Error::invalid_options
                 ? fail(Error::invalid_options, "the grid at " + to_string(endpoint)
                                                  + " refuses this node: " + sentence(made.error()))
                 : silent(made.error());
      return GridRoute{to_string(endpoint), made->handle};
    },
    [](const ReadProbe& read) { return ProbeRead{read_probe(read.folder)}; },
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

EntryPoint grid_entry_point(const GridCoordinator& host, const std::string& token,
                            std::function<void(const std::string& line)> notify) {
  return entry_point_of<GridListener>(host, {grid_name, token, draw_token, std::move(notify)});
}

GridConnector spawn_grid_connector(caf::actor_system& system, const Endpoint& endpoint,
                                   const Trust& trust, const std::string& token) {
  return system.spawn<caf::detached>(grid_connector, endpoint, trust, token);
}

} // namespace troupe
