#include "actors/grid/grid_joiner.hpp"

#include "messages/requests/pass_error.hpp"
#include "messages/requests/request_within.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <filesystem>

namespace troupe {

namespace {

constexpr auto entry_deadline = std::chrono::seconds{10}; // includes creating a folder there

using Promise = caf::typed_response_promise<GridEntered>;

class GridJoinerState {
public:
  static constexpr const char* name = "grid joiner";
  using Self = GridJoiner::stateful_pointer<GridJoinerState>;

  void begin(Self self, GridConnector connector) {
    self_ = self;
    connector_ = std::move(connector);
  }

  caf::result<GridEntered> enter(const EnterGrid& enter) {
    auto promise = self_->make_response_promise<GridEntered>();
    self_->request(connector_, caf::infinite, ConnectGrid{})
      .then([=, this](const GridRoute& route) { join(promise, enter, route); },
            pass_error(promise));
    return promise;
  }

private:
  void join(const Promise& promise, const EnterGrid& enter, const GridRoute& route) {
    request_within(self_, route.listener, entry_deadline, enter.join)
      .then(
        [=, this](const GridJoined& joined) {
          const std::filesystem::path grid{enter.grid.empty() ? joined.grid : enter.grid};
          read_probe(promise, {route, joined, (grid / joined.folder).string()});
        },
        pass_error(promise));
  }

  void read_probe(const Promise& promise, const GridEntered& entered) {
    self_->request(connector_, caf::infinite, ReadProbe{entered.folder})
      .then([=, this](const ProbeRead& read) { show(promise, entered, read.probe); },
            pass_error(promise));
  }

  void show(Promise promise, const GridEntered& entered, const std::string& probe) {
    request_within(self_, entered.route.listener, entry_deadline,
                   ShowProbe{entered.joined.node, probe})
      .then([promise, entered](const NodeAdmitted&) mutable { promise.deliver(entered); },
            pass_error(promise));
  }

  Self self_{};
  GridConnector connector_;
};

GridJoiner::behavior_type grid_joiner(GridJoinerState::Self self, const GridConnector& connector) {
  auto& state = self->state;
  state.begin(self, connector);
  return {[&state](const EnterGrid& enter) { return state.enter(enter); }};
}

} // namespace

GridJoiner spawn_grid_joiner(caf::actor_system& system, GridConnector connector) {
  return system.spawn(grid_joiner, std::move(connector));
}

} // namespace troupe
