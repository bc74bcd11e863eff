#include "apps/transport/node_system.hpp"
#include "apps/transport/published_actor.hpp"
#include "apps/transport/reached_holder.hpp"
#include "tests/support/block_stage.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <future>
#include <list>

using namespace troupe;
using namespace troupe::test;

namespace {

/// Like a separate process, with a connection to a holder.
class Peer {
  NodeSystemConfig config_{1};
  caf::actor_system system_{config_};
  ParameterHolder holder_;

public:
  explicit Peer(std::uint16_t port) {
    const auto reached = reach_holder(system_, {"127.0.0.1", port}, {}, "");
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

TEST_CASE("every peer is answered while others leave and all actors are busy", "[R9]") {
  BlockStage stage;
  const PublishedActor published{
    holder_entry_point(stage.holder), {"127.0.0.1", 0}, {}, "the parameter holder"};
  const auto port = published.port();
  std::promise<void> idle;
  const auto until_idle = idle.get_future().share();
  for (std::size_t thread = 0; thread < stage.system.scheduler().num_workers(); ++thread)
    stage.system.spawn([until_idle](caf::event_based_actor*) { until_idle.wait(); });

  std::list<Peer> peers;
  std::vector<std::future<bool>> answered;
  for (auto i = 0; i < 5; ++i)
    answered.push_back(peers.emplace_back(port).ask());
  idle.set_value();
  for (auto& peer : answered)
    CHECK(peer.get());
}
