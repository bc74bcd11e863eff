#include "apps/block_transfer/holder_client.hpp"

#include "actors/parameters/remote_holder.hpp"
#include "apps/block_transfer/holder_connector.hpp"
#include "apps/transport/node_system.hpp"
#include "messages/requests/caller.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/update_rules/apply_rule.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe {

namespace {

const HolderAccess& checked_access(const HolderAccess& access) {
  if (access.holders.empty())
    throw ConfigError("no parameter holder is named; give the host and port of each");
  for (const auto& holder : access.holders)
    if (!access.trust.tls && !is_loopback(holder.host))
      throw ConfigError("'" + holder.host
                        + "' is another machine, which needs TLS: give a trust with certificates");
  return access;
}

RemoteHolder remote_holder_at(caf::actor_system& system, const HolderAccess& access,
                              WorkerId worker, const Logger& logger) {
  HolderConnectorOptions connector;
  connector.holders = access.holders;
  connector.trust = access.trust;
  connector.cluster = access.token;
  connector.channel = {worker, access.wire};
  RemoteHolderOptions remote;
  remote.worker = worker;
  remote.workers = access.workers;
  remote.shards = access.holders.size();
  remote.cluster = access.token;
  remote.is_reader = access.is_reader;
  remote.process = random_process();
  remote.join_deadline = access.join_deadline;
  remote.logger = logger;
  return spawn_remote_holder(system, spawn_holder_connector(system, std::move(connector)),
                             std::move(remote));
}

} // namespace

std::function<RemoteHolder(WorkerId worker, const Logger& logger)>
connection_to(caf::actor_system& system, const HolderAccess& access) {
  return [&system, access = checked_access(access)](WorkerId worker, const Logger& logger) {
    return remote_holder_at(system, access, worker, logger);
  };
}

struct HolderClient::State {
  explicit State(const HolderAccess& given)
    : access(checked_access(given)),
      holder(remote_holder_at(system, access, access.worker, {})) {}
  ~State() { caf::anon_send_exit(holder, caf::exit_reason::user_shutdown); }

  /// The holder decides how long a push waits for other workers.
  template <class Answer, class Request>
  Answer ask(const Request& request) {
    return Caller{system}.ask<Answer>(holder, request, "the parameter holder", caf::infinite);
  }

  HolderAccess access;
  NodeSystemConfig config{2};
  caf::actor_system system{config};
  RemoteHolder holder;
  UpdateRule rule;
  Joined joined; ///< incarnation 0: it does not take part
  std::uint64_t pushes = 0;
  Version version = 0;
  Block base, residual; ///< the last answer; what its wire format has left out
};

HolderClient::HolderClient(const HolderAccess& access) : state_(std::make_unique<State>(access)) {}

HolderClient::~HolderClient() { leave(); }

Joined HolderClient::join(const Layout& layout, const UpdateRule& rule) {
  Join join;
  join.worker = state_->access.worker;
  join.workers = state_->access.workers;
  join.layout = layout;
  join.is_reader = state_->access.is_reader;
  join.rule = rule;
  state_->joined = state_->ask<Joined>(join);
  state_->rule = rule;
  state_->pushes = 0;
  state_->residual = {};
  return state_->joined;
}

Parameters HolderClient::create(const Block& values) {
  auto current = state_->ask<Parameters>(CreateIfAbsent{state_->access.worker, values, false});
  state_->version = current.version;
  state_->base = current.values;
  return current;
}

Parameters HolderClient::pull() {
  auto newest = state_->ask<Parameters>(Pull{state_->access.worker});
  state_->version = newest.version;
  state_->base = newest.values;
  return newest;
}

Parameters HolderClient::push(const Block& own) {
  auto& state = *state_;
  Push push;
  push.id = {state.access.worker, state.joined.incarnation, ++state.pushes};
  push.based_on = state.version;
  push.rule = state.rule;
  push.staleness = state.access.staleness;
  push.values = contribution(state.rule, own, state.base);
  if (state.residual.size() == push.values.size())
    push.residual = state.residual;
  if (!state.residual.empty())
    push.received = state.base;
  auto settled = state.ask<Parameters>(Exchange{std::move(push)});
  if (!settled.rejoined) // a refused push has sent nothing
    state.residual = settled.residual;
  state.version = settled.version;
  state.base = settled.values;
  if (!settled.rejoined)
    settled.values = adopted(state.rule, own, std::move(settled.values));
  return settled;
}

Part HolderClient::pull_part(const Selection& selection) {
  return state_->ask<Part>(PullPart{state_->access.worker, selection});
}

HolderStatus HolderClient::status() { return state_->ask<HolderStatus>(GetHolderStatus{}); }

void HolderClient::leave() {
  if (state_->joined.incarnation == 0)
    return;
  caf::anon_send(state_->holder, Leave{state_->access.worker, state_->joined.incarnation});
  state_->joined = {};
  Caller caller{state_->system}; // the answer, a refusal, comes once the Leave is on its way
  caller->request(state_->holder, caf::infinite, GetHolderStatus{})
    .receive([](const HolderStatus&) {}, [](const caf::error&) {});
}

} // namespace troupe
