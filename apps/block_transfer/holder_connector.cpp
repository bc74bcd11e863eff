#include "apps/block_transfer/holder_connector.hpp"

#include "apps/transport/reached_holder.hpp"
#include "base/failure.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <map>
#include <random>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto status_deadline = 3s; // for the status of a connected holder
constexpr double block_deadline = 5; // seconds, for a block connection

class HolderConnectorState {
public:
  static constexpr const char* name = "holder connector";
  using Self = Connector::stateful_pointer<HolderConnectorState>;

  ~HolderConnectorState() {
    for (auto& [shard, socket] : sockets_)
      socket->shut();
  }

  void begin(Self self, HolderConnectorOptions options) {
    self_ = self;
    options_ = std::move(options);
  }

  caf::result<ShardRoute> connect(std::uint64_t shard) {
    if (shard >= options_.holders.size())
      return fail(Error::unknown_name, "there is no shard " + std::to_string(shard));
    const auto& endpoint = options_.holders[shard];
    drop(shard);
    auto& system = self_->system();
    auto control = reach_holder(system, endpoint, options_.trust, options_.cluster);
    if (!control && control.error() == Error::invalid_options)
      return control.error();
    if (!control)
      return fail(Error::unavailable,
                  to_string(endpoint) + " does not answer: " + sentence(control.error()));
    caf::expected<HolderStatus> status{caf::error{}};
    caf::scoped_actor asker{system};
    asker->request(*control, status_deadline, GetHolderStatus{})
      .receive([&](HolderStatus& answer) { status = std::move(answer); },
               [&](caf::error& error) { status = std::move(error); });
    if (!status)
      return fail(Error::unavailable,
                  to_string(endpoint) + " is silent: " + sentence(status.error()));
    try {
      // A format that saves bytes is meant for the network, so blocks cross the network.
      const auto saves = options_.channel.wire.format != WireFormat::float32;
      auto socket = open_block_socket(system, {endpoint.host, status->block_port},
                                      saves || options_.network ? "" : status->block_name,
                                      options_.trust, options_.cluster, block_deadline);
      sockets_[shard] = socket;
      controls_[shard] = *control;
      return ShardRoute{to_string(endpoint), *control,
                        spawn_block_channel(system, std::move(socket), options_.channel)};
    } catch (const Failure& e) {
      const auto refused = e.code() == ExitCode::refused;
      return fail(refused ? Error::invalid_options : Error::unavailable, e.what());
    } catch (const std::exception& e) {
      return fail(Error::unavailable, e.what());
    }
  }

  /// Ends the connection, so that requests on it fail at once.
  void drop(std::uint64_t shard) {
    if (auto found = sockets_.find(shard); found != sockets_.end()) {
      found->second->shut();
      sockets_.erase(found);
    }
    if (auto found = controls_.find(shard); found != controls_.end()) {
      caf::anon_send_exit(found->second, caf::exit_reason::user_shutdown);
      controls_.erase(found);
    }
  }

private:
  Self self_ = nullptr;
  HolderConnectorOptions options_;
  std::map<std::uint64_t, std::shared_ptr<BlockSocket>> sockets_;
  std::map<std::uint64_t, ParameterHolder> controls_;
};

Connector::behavior_type holder_connector(HolderConnectorState::Self self,
                                          HolderConnectorOptions options) {
  auto& state = self->state;
  state.begin(self, std::move(options));
  return {
    [&state](const ConnectShard& connect) { return state.connect(connect.shard); },
    [&state](const DropShard& drop) { state.drop(drop.shard); },
  };
}

} // namespace

std::uint64_t random_process() {
  std::random_device random;
  return std::uniform_int_distribution<std::uint64_t>{1}(random);
}

Connector spawn_holder_connector(caf::actor_system& system, HolderConnectorOptions options) {
  return system.spawn<caf::detached>(holder_connector, std::move(options));
}

} // namespace troupe
