#include "actors/parameters/simulated_connector.hpp"

#include "base/text/duration.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/codecs/block_mirror.hpp"
#include "model/codecs/error_feedback.hpp"
#include "model/tensor/block_park.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <map>
#include <utility>

namespace troupe {

namespace {

using Ticket = std::uint64_t; ///< of a delayed action; 0: the connection ends
using Connection = ParameterHolder::extend<caf::reacts_to<Ticket>>;

constexpr std::size_t small = 200; // bytes of a message without a block

/// The connections of one worker to one holder.
class SimulatedConnectionState {
public:
  static constexpr const char* name = "simulated connection";
  using Self = Connection::stateful_pointer<SimulatedConnectionState>;

  void begin(Self self, const SimulatedConnectorOptions& options, std::size_t shard) {
    self_ = self;
    options_ = options;
    holder_ = options.holders[shard];
    far_ = options.first_holder + shard;
    if (const auto end = options_.network->next_outage(options_.node, far_, now()))
      // Not earlier because of rounding to nanoseconds: the next connection would end at once
      // again.
      self_->delayed_send(self_, timespan_of(*end - now()) + std::chrono::nanoseconds{1},
                          Ticket{0});
  }

  template <class Answer, class Request>
  caf::result<Answer> carry(const std::string& message, Request request) {
    auto promise = self_->template make_response_promise<Answer>();
    const auto wire = wire_of(request);
    Block left;
    if (const auto why = encode(request, left); !why.empty()) {
      promise.deliver(fail(Error::invalid_options, "parameters cannot be sent: " + why));
      return promise;
    }
    const auto received = received_with(request);
    const auto bytes = size_of(request, wire); // before it is moved
    to_holder(message, bytes, [=, this, request = std::move(request)]() mutable {
      self_->request(holder_, caf::infinite, std::move(request))
        .then(
          [=, this](Answer& answer) mutable {
            const auto bytes = size_of(answer, apply_format(answer, wire, received));
            park(answer);
            from_holder(message, bytes, [=, answer = std::move(answer)]() mutable {
              set_residual(answer, left);
              promise.deliver(std::move(answer));
            });
          },
          [=, this](const caf::error& error) mutable {
            from_holder(message, small, [=]() mutable { promise.deliver(error); });
          });
    });
    return promise;
  }

  template <class Message>
  void send(const std::string& message, const Message& content) {
    to_holder(message, small, [=, this] { self_->send(holder_, content); });
  }

  void due(Ticket ticket) {
    if (ticket == 0)
      return self_->quit(caf::exit_reason::remote_link_unreachable);
    pending_.extract(ticket).mapped()();
  }

private:
  double now() const { return seconds_now(self_); }

  void to_holder(const std::string& message, std::size_t bytes, std::function<void()> act) {
    deliver_later({now(), {}, options_.node, far_, message, bytes}, std::move(act));
  }
  void from_holder(const std::string& message, std::size_t bytes, std::function<void()> act) {
    deliver_later({now(), {}, far_, options_.node, "answer " + message, bytes}, std::move(act));
  }

  void deliver_later(Transit transit, std::function<void()> act) {
    transit.arrives
      = options_.network->arrival(transit.from, transit.to, transit.bytes, transit.sent);
    if (options_.note)
      options_.note(transit);
    if (!transit.arrives)
      return;
    pending_[++tickets_] = std::move(act);
    self_->delayed_send(self_, timespan_of(*transit.arrives - transit.sent), tickets_);
  }

  // -- the effect of a wire format on blocks, as in block_channel.cpp and block_service.cpp
  // ---------

  template <class Request>
  WireOptions wire_of(const Request&) const {
    return {};
  }
  WireOptions wire_of(const Exchange& exchange) const {
    return exchange.push.last ? WireOptions{} : options_.wire;
  }

  /// Converts a request into what arrives of it. @param left what that leaves out of a push
  /// @returns "", or why it cannot be sent.
  template <class Request>
  std::string encode(Request&, Block&) const {
    return "";
  }
  std::string encode(Exchange& exchange, Block& left) const {
    auto& push = exchange.push;
    const auto wire = wire_of(exchange);
    const auto residual = std::exchange(push.residual, Block{});
    if (wire.format == WireFormat::float32) {
      push.values = with_residual(push.values, residual);
      return "";
    }
    ErrorFeedback feedback{push.values.size()};
    if (!residual.empty())
      feedback.restore(residual);
    std::vector<std::byte> bytes;
    auto why = feedback.encode(wire, push.values.view(), bytes);
    if (why.empty())
      why = decode(wire.format, bytes, push.values.edit());
    left = feedback.residual();
    return why;
  }

  /// What the worker received with the last answer; empty: its answer is to be exact.
  template <class Request>
  static Block received_with(Request&) {
    return {};
  }
  static Block received_with(Exchange& exchange) {
    return std::exchange(exchange.push.received, Block{});
  }

  /// Converts an answer into what arrives of it. @returns the format in which it is sent
  template <class Answer>
  static WireOptions apply_format(Answer&, const WireOptions& wire, const Block&) {
    return wire;
  }
  static WireOptions apply_format(Parameters& answer, const WireOptions& wire,
                                  const Block& received) {
    std::vector<std::byte> bytes;
    if (suits_differences_only(wire.format) && !received.empty()) {
      const auto format = difference_format(wire);
      BlockMirror mirror{received};
      if (mirror.encode(format, answer.values, bytes).empty()) {
        answer.values = mirror.block();
        return format;
      }
    }
    const auto whole = answer_format(wire);
    if (whole.format != WireFormat::float32
        && troupe::encode(whole, answer.values.view(), bytes).empty())
      static_cast<void>(decode(whole.format, bytes, answer.values.edit()));
    return whole;
  }

  template <class Answer>
  void park(Answer& answer) const {
    if constexpr (requires { answer.values; })
      if (options_.park)
        answer.values = options_.park->park(answer.values);
  }

  template <class Answer>
  static void set_residual(Answer&, const Block&) {}
  static void set_residual(Parameters& answer, const Block& left) { answer.residual = left; }

  template <class Message>
  static std::size_t size_of(const Message& message, const WireOptions& wire) {
    if constexpr (requires { message.values; })
      return small + encoded_size(wire, static_cast<std::size_t>(message.values.size()));
    else
      return small;
  }
  static std::size_t size_of(const Exchange& exchange, const WireOptions& wire) {
    return size_of(exchange.push, wire);
  }

  Self self_ = nullptr;
  SimulatedConnectorOptions options_;
  ParameterHolder holder_;
  std::size_t far_ = 0; ///< the holder's node
  std::map<Ticket, std::function<void()>> pending_;
  Ticket tickets_ = 0;
};

Connection::behavior_type simulated_connection(SimulatedConnectionState::Self self,
                                               SimulatedConnectorOptions options,
                                               std::size_t shard) {
  auto& state = self->state;
  state.begin(self, options, shard);
  return {
    [&state](const Join& join) { return state.carry<Joined>("Join", join); },
    [&state](const Renew& renew) { return state.carry<Renewed>("Renew", renew); },
    [&state](const CreateIfAbsent& create) {
      return state.carry<Parameters>("CreateIfAbsent", create);
    },
    [&state](const Pull& pull) { return state.carry<Parameters>("Pull", pull); },
    [&state](const Await& await) { return state.carry<Parameters>("Await", await); },
    [](const Push&) -> caf::result<Applied> {
      return fail(Error::unavailable, "a simulated connection carries exchanges, not pushes alone");
    },
    [&state](const Exchange& exchange) { return state.carry<Parameters>("Exchange", exchange); },
    [&state](const PullPart& pull) { return state.carry<Part>("PullPart", pull); },
    [&state](const PushPart& push) { return state.carry<Applied>("PushPart", push); },
    [&state](const Leave& leave) { state.send("Leave", leave); },
    [&state](const StopAll& stop) { state.send("StopAll", stop); },
    [](const UseBlockPort&) {},
    [&state](const GetHolderStatus& get) {
      return state.carry<HolderStatus>("GetHolderStatus", get);
    },
    [&state](const SaveHolder& save) { return state.carry<SavedHolder>("SaveHolder", save); },
    [&state](const RestoreHolder& restore) {
      return state.carry<Joined>("RestoreHolder", restore);
    },
    [&state](Ticket ticket) { state.due(ticket); },
  };
}

class SimulatedConnectorState {
public:
  static constexpr const char* name = "simulated connector";
  using Self = Connector::stateful_pointer<SimulatedConnectorState>;

  void begin(Self self, SimulatedConnectorOptions options) {
    self_ = self;
    options_ = std::move(options);
  }

  caf::result<ShardRoute> connect(std::size_t shard) {
    const auto now = seconds_now(self_);
    if (shard >= options_.holders.size())
      return fail(Error::unknown_name, "there is no shard " + std::to_string(shard));
    if (!options_.network->connects(options_.node, options_.first_holder + shard, now))
      return fail(Error::unavailable,
                  "holder " + std::to_string(shard) + " is unreachable: an outage");
    drop(shard);
    const auto connection = self_->spawn<caf::linked>(simulated_connection, options_, shard);
    connections_[shard] = connection;
    return ShardRoute{"holder " + std::to_string(shard), connection, connection};
  }

  void drop(std::size_t shard) {
    if (const auto connection = connections_.extract(shard); !connection.empty()) {
      self_->unlink_from(connection.mapped());
      self_->send_exit(connection.mapped(), caf::exit_reason::user_shutdown);
    }
  }

private:
  Self self_ = nullptr;
  SimulatedConnectorOptions options_;
  std::map<std::size_t, Connection> connections_; ///< by shard
};

Connector::behavior_type simulated_connector(SimulatedConnectorState::Self self,
                                             SimulatedConnectorOptions options) {
  auto& state = self->state;
  state.begin(self, std::move(options));
  self->set_exit_handler([self](const caf::exit_msg& exit) {
    if (exit.reason != caf::exit_reason::remote_link_unreachable) // of a connection
      self->quit(exit.reason);
  });
  return {
    [&state](const ConnectShard& connect) {
      return state.connect(static_cast<std::size_t>(connect.shard));
    },
    [&state](const DropShard& drop) { state.drop(static_cast<std::size_t>(drop.shard)); },
  };
}

} // namespace

Connector spawn_simulated_connector(caf::actor_system& system, SimulatedConnectorOptions options) {
  return system.spawn(simulated_connector, std::move(options));
}

} // namespace troupe
