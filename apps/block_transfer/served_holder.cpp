#include "apps/block_transfer/served_holder.hpp"

#include "apps/block_transfer/block_listener.hpp"
#include "apps/transport/published_actor.hpp"
#include "apps/transport/reached_holder.hpp"
#include "messages/requests/caller.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/send.hpp>

#include <chrono>
#include <thread>
#include <utility>

namespace troupe {

namespace {

constexpr auto poll_interval = std::chrono::milliseconds{50};
constexpr auto who = "the parameter holder";

ParameterHolderOptions with_token(ParameterHolderOptions holder, const std::string& token) {
  holder.store.cluster = token;
  return holder;
}

Trust checked_trust(const ServedHolderOptions& options) {
  if (!options.trust.tls && !is_loopback(options.endpoint.host))
    throw ConfigError("'" + options.endpoint.host
                      + "' can be reached from other machines, which needs TLS: give a trust with "
                        "certificates, or listen on 127.0.0.1");
  return options.trust;
}

} // namespace

struct ServedHolder::State {
  /// Ends the holder's actor after its listeners.
  struct OwnedHolder {
    ParameterHolder actor;
    explicit OwnedHolder(ParameterHolder spawned) : actor(std::move(spawned)) {}
    ~OwnedHolder() { caf::anon_send_exit(actor, caf::exit_reason::user_shutdown); }
    OwnedHolder(const OwnedHolder&) = delete;
    OwnedHolder& operator=(const OwnedHolder&) = delete;
  };

  State(caf::actor_system& in, const ServedHolderOptions& options)
    : system(in),
      trust(checked_trust(options)),
      holder(spawn_parameter_holder(system, with_token(options.holder, options.token))),
      blocks(system, holder.actor, options.endpoint.host, trust, options.token),
      published(holder_entry_point(holder.actor, options.token, options.holder.logger),
                options.endpoint, trust, who) {}

  caf::actor_system& system;
  Trust trust;
  OwnedHolder holder;
  BlockListener blocks;
  PublishedActor published;
};

ServedHolder::ServedHolder(caf::actor_system& system, ServedHolderOptions options)
  : state_(std::make_unique<State>(system, options)) {}

ServedHolder::~ServedHolder() = default;

std::uint16_t ServedHolder::port() const { return state_->published.port(); }

HolderStatus ServedHolder::status() const {
  return Caller{state_->system}.ask<HolderStatus>(state_->holder.actor, GetHolderStatus{}, who);
}

void ServedHolder::wait_for_end() const {
  for (;;) {
    const auto now = status();
    if (!now.journal.empty() && now.workers.empty() && now.lost.empty() && now.absent == 0)
      return;
    std::this_thread::sleep_for(poll_interval);
  }
}

} // namespace troupe
