// A remote holder with its surroundings: holders, connections that fail as the test says, and a
// recording logger.
#pragma once

#include "actors/parameters/parameter_holder.hpp"
#include "actors/parameters/remote_holder.hpp"
#include "base/text/duration.hpp"
#include "messages/requests/error.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/holder_checks.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace troupe::test {

/// What happens to one message, and to its answer.
struct Delivery {
  bool arrives = true, answered = true;
  unsigned copies = 1;              ///< how often it arrives
  double late = 0, answer_late = 0; ///< seconds
  bool ends_connection = false;     ///< the connection ends after it was sent
};
using Deliveries = std::function<Delivery(const std::string& message)>;

/// The far end of connections. The test may change it, which also affects open connections.
struct FakeHolder {
  ParameterHolder holder;
  Deliveries deliveries = [](const std::string&) { return Delivery{}; };
  bool reachable = true;                    ///< whether new connections are possible
  std::vector<caf::actor_addr> connections; ///< control and block connection of the last route
  unsigned asked = 0;                       ///< how often a connection was requested
  unsigned made = 0;                        ///< connections so far
  unsigned dropped = 0;                     ///< connections that were given up
};

/// Forwards messages to the holder and its answers back, as the deliveries say. It outlives its
/// connection.
class Carrier {
public:
  static constexpr const char* name = "carrier";
  using Self = caf::stateful_actor<Carrier>*;

  static caf::behavior behave(Self self, std::shared_ptr<FakeHolder> far) {
    self->state.self_ = self;
    self->state.far_ = std::move(far);
    auto* state = &self->state;
    return {
      [=](const Join& join) { return state->carry<Joined>("Join", join); },
      [=](const Renew& renew) { return state->carry<Renewed>("Renew", renew); },
      [=](const CreateIfAbsent& create) { return state->carry<Parameters>("Create", create); },
      [=](const Pull& pull) { return state->carry<Parameters>("Pull", pull); },
      [=](const Await& await) { return state->carry<Parameters>("Await", await); },
      [=](const Exchange& exchange) { return state->carry<Parameters>("Exchange", exchange); },
      [=](const PullPart& pull) { return state->carry<Part>("PullPart", pull); },
      [=](const PushPart& push) { return state->carry<Applied>("PushPart", push); },
      [=](const GetHolderStatus& get) { return state->carry<HolderStatus>("Status", get); },
      [=](const Leave& leave) { self->send(state->far_->holder, leave); },
      [=](const StopAll& stop) { self->send(state->far_->holder, stop); },
      [=](std::uint64_t ticket) {
        auto due = state->later_.extract(ticket);
        due.mapped()();
      },
    };
  }

private:
  template <class Answer, class Request>
  caf::result<Answer> carry(const std::string& message, const Request& request) {
    auto promise = self_->template make_response_promise<Answer>();
    const auto delivery = far_->deliveries(message);
    if (delivery.ends_connection)
      for (const auto& connection : far_->connections)
        self_->send_exit(connection, caf::exit_reason::remote_link_unreachable);
    if (!delivery.arrives)
      return promise;
    const auto back = [=, this](const auto& answer) {
      if (delivery.answered)
        after(delivery.answer_late, [=]() mutable { promise.deliver(answer); });
    };
    for (unsigned copy = 0; copy < delivery.copies; ++copy)
      after((copy + 1) * delivery.late, [=, this] {
        self_->request(far_->holder, caf::infinite, request)
          .then([=](const Answer& answer) { back(answer); },
                [=](const caf::error& error) { back(error); });
      });
    return promise;
  }

  void after(double seconds, std::function<void()> act) {
    if (seconds <= 0)
      return act();
    later_[++tickets_] = std::move(act);
    self_->delayed_send(self_, timespan_of(seconds), tickets_);
  }

  Self self_ = nullptr;
  std::shared_ptr<FakeHolder> far_;
  std::map<std::uint64_t, std::function<void()>> later_;
  std::uint64_t tickets_ = 0;
};

/// A connection: it ends when it is told to, and what was sent before may still arrive.
inline caf::behavior connection(caf::event_based_actor* self, caf::actor carrier) {
  const auto pass_on = [=](auto& message) { return self->delegate(carrier, message); };
  return {
    [=](const Join& join) { return pass_on(join); },
    [=](const Renew& renew) { return pass_on(renew); },
    [=](const CreateIfAbsent& create) { return pass_on(create); },
    [=](const Pull& pull) { return pass_on(pull); },
    [=](const Await& await) { return pass_on(await); },
    [=](const Exchange& exchange) { return pass_on(exchange); },
    [=](const PullPart& pull) { return pass_on(pull); },
    [=](const PushPart& push) { return pass_on(push); },
    [=](const GetHolderStatus& get) { return pass_on(get); },
    [=](const Leave& leave) { self->send(carrier, leave); },
    [=](const StopAll& stop) { self->send(carrier, stop); },
  };
}

/// Several holders, and any number of workers on other nodes.
class RemoteStage {
public:
  explicit RemoteStage(std::size_t shards = 1) {
    for (std::size_t shard = 0; shard < shards; ++shard)
      holders.push_back(world.keep(spawn_parameter_holder(world.system)));
  }
  ~RemoteStage() {
    for (const auto& carrier : *carriers_)
      world.self->send_exit(carrier, caf::exit_reason::user_shutdown);
  }

  DeterministicSystem world;
  std::vector<ParameterHolder> holders;
  /// Lines of the loggers.
  std::shared_ptr<std::vector<std::string>> said = std::make_shared<std::vector<std::string>>();

  /// A remote holder of a worker, with connections of its own.
  class Remote {
  public:
    ParameterHolder holder;
    RemoteHolder handle;
    std::vector<std::shared_ptr<FakeHolder>> far; ///< by shard
  };

  Remote remote(WorkerId worker = 0) {
    RemoteHolderOptions options;
    options.worker = worker;
    options.logger = logger();
    return remote(options);
  }
  Remote remote(RemoteHolderOptions options) {
    Remote made;
    for (const auto& holder : holders) {
      made.far.push_back(std::make_shared<FakeHolder>());
      made.far.back()->holder = holder;
    }
    options.shards = holders.size();
    made.handle = world.keep(spawn_remote_holder(world.system, connector(made.far), options));
    made.holder = made.handle;
    return made;
  }

  HolderClient<DeterministicSystem> client(const Remote& remote, WorkerId worker = 0) {
    return {world, remote.holder, worker};
  }

  /// Ends the connections to a shard and allows no new ones.
  void cut(Remote& remote, std::size_t shard = 0) {
    remote.far[shard]->reachable = false;
    end_connections(remote, shard);
  }
  void end_connections(Remote& remote, std::size_t shard = 0) {
    for (const auto& connection : remote.far[shard]->connections)
      world.self->send_exit(connection, caf::exit_reason::remote_link_unreachable);
    world.run();
  }
  void mend(Remote& remote, std::size_t shard = 0) { remote.far[shard]->reachable = true; }

  Logger logger() {
    const auto lines = said;
    return world.keep(caf::actor_cast<Logger>(world.system.spawn(
      [=]() -> caf::behavior { return {[=](const Say& say) { lines->push_back(say.text); }}; })));
  }
  /// The status of trainers: they were ended from outside.
  std::shared_ptr<bool> interrupted = std::make_shared<bool>(false);

  /// A trainer that records which worker is main, and why it was stopped.
  Trainer noting_trainer(std::shared_ptr<std::vector<std::string>> trace) {
    const auto told_to_end = interrupted;
    return world.keep(caf::actor_cast<Trainer>(world.system.spawn([=]() -> caf::behavior {
      return {
        [=](const GetStatus&) {
          Status status;
          status.interrupted = *told_to_end;
          return status;
        },
        [=](const BeMain& be) { trace->push_back(be.main ? "main" : "not main"); },
        [=](const Stop& stop) {
          trace->push_back((stop.interrupt ? "interrupt: " : "stop: ") + stop.reason);
        },
      };
    })));
  }

  /// The number of log lines so far that contain the text.
  std::size_t logged(const std::string& text) const {
    return static_cast<std::size_t>(
      std::count_if(said->begin(), said->end(),
                    [&](const std::string& line) { return line.find(text) != std::string::npos; }));
  }

  void pass(caf::timespan time) { world.pass(time, 50ms); }

private:
  Connector connector(std::vector<std::shared_ptr<FakeHolder>> far) {
    const auto carriers = carriers_;
    const auto behave = [=](Connector::pointer self) -> Connector::behavior_type {
      return {
        [=](const ConnectShard& connect) -> caf::result<ShardRoute> {
          const auto& to = far[connect.shard];
          ++to->asked;
          if (!to->reachable)
            return fail(Error::unavailable, "no connection");
          ++to->made;
          auto carrier = self->system().spawn(Carrier::behave, to);
          carriers->push_back(carrier);
          const auto control = self->system().spawn(connection, carrier);
          const auto blocks = self->system().spawn(connection, carrier);
          to->connections = {control.address(), blocks.address()};
          return ShardRoute{"far" + std::to_string(connect.shard),
                            caf::actor_cast<ParameterHolder>(control),
                            caf::actor_cast<BlockHolder>(blocks)};
        },
        [=](const DropShard& drop) { ++far[drop.shard]->dropped; },
      };
    };
    return world.keep(world.system.spawn(behave));
  }

  std::shared_ptr<std::vector<caf::actor>> carriers_ = std::make_shared<std::vector<caf::actor>>();
};

} // namespace troupe::test
