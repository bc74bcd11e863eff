#include "troupe/actors/parameter_holder.hpp"
#include "troupe/apps/node_system.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <catch2/catch.hpp>

#include <future>
#include <list>

using namespace troupe;

namespace {

/// As good as a process of its own, with a connection to a holder.
class Peer {
  NodeSystemConfig config_{1, {}};
  caf::actor_system system_{config_};
  ParameterHolder holder_;

public:
  explicit Peer(std::uint16_t port) {
    const auto reached = reach_holder(system_, {"127.0.0.1", port}, {});
    REQUIRE(reached);
    holder_ = *reached;
  }
  /// Whether the holder answers.
  std::future<bool> ask() {
    return std::async(std::launch::async, [this] {
      auto answered = false;
      caf::scoped_actor self{system_};
      self->request(holder_, std::chrono::seconds{5}, GetHolderStatus{})
        .receive([&](const HolderStatus&) { answered = true; }, [](const caf::error&) {});
      return answered;
    });
  }
};

} // namespace

TEST_CASE("peers that come while others leave and all actors are busy are answered, each of them",
          "[R9]") {
  NodeSystemConfig config{1, {}};
  caf::actor_system system{config};
  const auto holder = spawn_parameter_holder(system);
  const auto port = publish_holder(holder, "127.0.0.1", 0, {});
  std::promise<void> idle;
  system.spawn([idle = idle.get_future().share()](caf::event_based_actor*) { idle.wait(); });

  std::list<Peer> peers;
  std::vector<std::future<bool>> answered;
  for (auto i = 0; i < 5;
       ++i) // each makes one connection to see that somebody listens, and ends it
    answered.push_back(peers.emplace_back(port).ask());
  idle.set_value();
  for (auto& peer : answered)
    CHECK(peer.get());
  caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
}
