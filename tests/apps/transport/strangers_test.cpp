// A peer with a certificate, or on the same machine, can do no harm to a process that it reaches by
// CAF's own means.
#include "apps/grid/listener.hpp"
#include "apps/transport/node_system.hpp"
#include "apps/transport/published_actor.hpp"
#include "apps/transport/reached_holder.hpp"
#include "messages/grid/grid_wire.hpp"
#include "tests/support/block_stage.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/interfaces.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/others.hpp>

#include <atomic>
#include <mutex>
#include <set>

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr caf::actor_id ids_tried = 120; // more actors than these processes have

caf::io::basp_broker& broker_of(caf::actor_system& system) {
  const auto actor = system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP"));
  return dynamic_cast<caf::io::basp_broker&>(*caf::actor_cast<caf::abstract_actor*>(actor));
}

/// A process that speaks CAF and ignores Troupe's rules.
class Attacker {
  GridSystemConfig config_{1};

public:
  caf::actor_system system{config_};
  caf::node_id node; ///< the one it is connected to

  explicit Attacker(std::uint16_t port) {
    caf::scoped_actor self{system};
    self
      ->request(system.middleman().actor_handle(), std::chrono::seconds{10},
                caf::connect_atom::value, std::string{"127.0.0.1"}, port)
      .receive(
        [&](const caf::node_id& found, const caf::strong_actor_ptr& actor,
            const std::set<std::string>&) {
          node = found;
          entry_ = caf::actor_cast<caf::actor>(actor);
        },
        [](const caf::error& error) { FAIL(sentence(error)); });
  }

  /// Sends to the published actor.
  void send(const caf::message& message) { caf::anon_send(entry_, message); }
  caf::error ask(const caf::message& message) { return ask(entry_, message); }

  /// Sends to an actor by a guessed id.
  void send(caf::actor_id id, const caf::message& message) {
    if (const auto actor = broker_of(system).proxies().get_or_put(node, id))
      caf::anon_send(caf::actor_cast<caf::actor>(actor), message);
  }
  /// Sends to one of the actors that CAF registers by name.
  caf::error ask_named(caf::atom_value name, const caf::message& message) {
    caf::error refusal;
    caf::scoped_actor self{system};
    self
      ->request(system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP")),
                std::chrono::seconds{10}, caf::forward_atom::value, node, name, message)
      .receive([&](caf::error& error) { refusal = std::move(error); },
               caf::others >>
                 [](caf::message_view&) -> caf::result<caf::message> { return caf::message{}; });
    return refusal;
  }
  /// Waits until everything sent before has arrived.
  void wait() { CHECK(ask(caf::make_message(Introduce{protocol_version, "unknown", ""}))); }

private:
  caf::error ask(const caf::actor& actor, const caf::message& message) {
    caf::error refusal;
    caf::scoped_actor self{system};
    self->request(actor, std::chrono::seconds{10}, message)
      .receive([&](caf::error& error) { refusal = std::move(error); },
               caf::others >>
                 [](caf::message_view&) -> caf::result<caf::message> { return caf::message{}; });
    return refusal;
  }

  caf::actor entry_;
};

std::vector<caf::message> ends_of(const caf::actor_addr& target) {
  return {caf::make_message(caf::exit_msg{target, caf::exit_reason::kill}),
          caf::make_message(caf::exit_msg{target, caf::exit_reason::user_shutdown}),
          caf::make_message(caf::down_msg{target, caf::exit_reason::kill}),
          caf::make_message(StopAll{"the attacker says so", false})};
}

/// A holder of the cluster "secret", published, and worker 0 of it in another system.
class AttackedHolder {
  NodeSystemConfig config_{1};

public:
  const CapturedErrors errors;
  BlockStage stage;
  /// Published by CAF's own listener: Troupe's would refuse much of it earlier
  /// (tests/apps/transport/listener_test.cpp).
  std::uint16_t port
    = *stage.system.middleman().publish(holder_entry_point(stage.holder, "secret"), 0, "127.0.0.1");
  caf::actor_system system{config_};
  ParameterHolder worker;
  std::atomic<bool> worker_lost{false};

  AttackedHolder() {
    const auto reached = reach_holder(system, {"127.0.0.1", port}, {}, "secret");
    REQUIRE(reached);
    worker = *reached;
    Join join;
    join.lease = 60;
    join.cluster = "secret"; // the bare holder behind the entry point asks for none
    REQUIRE(ask<Joined>(join));
    system.spawn<caf::hidden>([this](caf::event_based_actor* self) -> caf::behavior {
      self->set_down_handler([this](const caf::down_msg&) { worker_lost = true; });
      self->monitor(worker);
      return {[](int) {}};
    });
  }

  template <class Answer, class Request>
  caf::expected<Answer> ask(const Request& request) {
    caf::expected<Answer> result{caf::error{}};
    caf::scoped_actor self{system};
    self->request(worker, std::chrono::seconds{10}, request)
      .receive([&](Answer& answer) { result = std::move(answer); },
               [&](caf::error& error) { result = std::move(error); });
    return result;
  }
  /// Whether the worker is a member and was not told to end.
  bool trains() {
    const auto renewed = ask<Renewed>(Renew{0, 1});
    const auto status = ask<HolderStatus>(GetHolderStatus{});
    return renewed && renewed->stop.empty() && status && status->workers == std::vector<WorkerId>{0}
           && !worker_lost;
  }
};

} // namespace

TEST_CASE("a stranger's messages to a holder are refused", "[strangers]") {
  AttackedHolder attacked;
  Attacker attacker{attacked.port};
  for (const auto& message : messages_of<ParameterHolder>()) {
    INFO(to_string(message));
    CHECK(attacker.ask(message));
    attacker.send(message);
  }
  attacker.wait();
  CHECK(attacked.trains());
}

TEST_CASE("a stranger's messages to a grid are refused", "[strangers]") {
  const CapturedErrors errors;
  GridSystemConfig config{1};
  caf::actor_system system{config};
  std::atomic<int> reached{0};
  const auto actor = system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(
      [&](caf::scheduled_actor*, caf::message_view&) -> caf::result<caf::message> {
        ++reached;
        return caf::message{};
      });
    return {[](int) {}};
  });
  std::mutex mutex;
  std::vector<std::string> lines;
  const auto report = [&](const std::string& line) {
    const std::lock_guard lock{mutex};
    lines.push_back(line);
  };
  const PublishedActor published{
    grid_entry_point(caf::actor_cast<GridCoordinator>(actor), "secret", report),
    {"127.0.0.1", 0},
    {},
    "it"};
  Attacker attacker{published.port()};
  for (const auto& message : messages_of<GridListener>()) {
    CHECK(attacker.ask(message));
    CHECK(attacker.ask(message));
  }
  attacker.wait();
  CHECK(reached == 0);
  {
    const std::lock_guard lock{mutex};
    CHECK(lines.size() >= messages_of<GridListener>().size());
  }
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

TEST_CASE("a stranger's exit and down messages end nothing in a holder's process", "[strangers]") {
  AttackedHolder attacked;
  Attacker attacker{attacked.port};
  const auto holder = caf::actor_cast<caf::actor_addr>(attacked.stage.holder);
  for (caf::actor_id id = 1; id <= ids_tried; ++id)
    for (const auto& message : ends_of(holder))
      attacker.send(id, message);
  for (const auto& message : ends_of(holder))
    attacker.send(message);
  attacker.wait();
  CHECK(attacked.trains());
  CHECK(attacked.stage.ask<HolderStatus>(attacked.stage.holder, GetHolderStatus{}));
}

TEST_CASE("unrequested messages from a holder's node end nothing in a worker's process",
          "[strangers]") {
  AttackedHolder attacked;
  auto& proxies = broker_of(attacked.stage.system).proxies();
  for (caf::actor_id id = 1; id <= ids_tried; ++id)
    if (const auto actor = proxies.get_or_put(attacked.system.node(), id))
      caf::anon_send(caf::actor_cast<caf::actor>(actor),
                     caf::make_message(StopAll{"the attacker says so", false}));
  CHECK(attacked.trains()); // its answer comes after all of them
  CHECK_THAT(attacked.errors.text(), Catch::Contains("an unrequested message was refused"));
}

TEST_CASE("no peer reaches the actors that CAF registers by name", "[strangers]") {
  AttackedHolder attacked;
  Attacker attacker{attacked.port};
  const auto get = caf::make_message(caf::get_atom::value, std::string{"*"});
  CHECK(attacker.ask_named(caf::atom("ConfigServ"), get));
  CHECK(attacker.ask_named(caf::atom("SpawnServ"), get));
}

TEST_CASE("a peer without the token is refused and told the cure", "[strangers]") {
  AttackedHolder attacked;
  for (const std::string token : {"", "guess"}) {
    const auto reached = reach_holder(attacked.system, {"127.0.0.1", attacked.port}, {}, token);
    REQUIRE_FALSE(reached);
    CHECK(reached.error() == Error::invalid_options);
    CHECK_THAT(sentence(reached.error()), Catch::Contains("give all nodes the same TROUPE_TOKEN"));
  }
  const std::atomic<bool> never{false};
  CHECK_THROWS_WITH(
    wait_for_holder(attacked.system, {"127.0.0.1", attacked.port}, {}, "guess", 60, never),
    Catch::Contains("refuses this process"));
}
