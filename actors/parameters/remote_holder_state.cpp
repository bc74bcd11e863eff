#include "actors/parameters/remote_holder_state.hpp"

#include "base/text/duration.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/pass_error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/timing/clocks.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe {

namespace {

constexpr auto poll_shards_every = std::chrono::milliseconds{100};
constexpr auto forwarding_deadline = std::chrono::seconds{10};
constexpr double join_patience = 2; // seconds before the wait of a joining worker is reported

} // namespace

void RemoteHolderState::begin(Self self, Connector connector, const RemoteHolderOptions& options) {
  self_ = self;
  options_ = options;
  log_ = WorkerLog{self, options.logger,
                   (options.is_reader ? "reader " : "worker ") + std::to_string(options.worker)};
  connections_.begin(self, std::move(connector), options, log_,
                     {[this] { joined(); }, [this] { requests_.send_all(); },
                      [this](std::size_t shard, const caf::error& error) { refused(shard, error); },
                      [this] { rejoin(); },
                      [this](const Renewed& renewed) { handle_renewed(renewed); },
                      [this](std::size_t shard) {
                        requests_.lose(shard);
                        if (shard == 0)
                          end_.lose_holder();
                      },
                      [this] {
                        return !options_.is_reader && !is(HolderMembership::State::joining)
                               && !requests_.waits_for_main();
                      }});
  membership_ = HolderMembership{options.worker, connections_.shards()};
  requests_.begin(self, connections_, membership_, options, log_, [this] { rejoin(); });
}

// -- membership -----------------------------------------------------------------------------------

caf::result<Joined> RemoteHolderState::join(const Join& join) {
  if (auto error = membership_.refusal_of(join))
    return error;
  membership_.begin(join);
  joining_ = self_->make_response_promise<Joined>();
  auto promise = joining_;
  joining_since_ = seconds_now(self_);
  end_ = {};
  interrupt_ = {};
  std::vector<Join> joins(connections_.shards(), join);
  for (std::size_t shard = 0; shard < joins.size(); ++shard) {
    auto& one = joins[shard];
    one.layout = membership_.map().layout_of(shard);
    one.cluster = options_.cluster;
    one.workers = options_.workers;
    one.lease = options_.lease;
    one.is_reader = options_.is_reader;
    one.process = options_.process;
  }
  connections_.join(std::move(joins));
  if (!std::exchange(polling_, true))
    self_->delayed_send(self_, poll_shards_every, CheckShards{});
  return promise;
}

void RemoteHolderState::joined() {
  const auto created = connections_.created();
  if (is(HolderMembership::State::joining)) {
    membership_.admitted(connections_.link(0).incarnation());
    joining_.deliver(Joined{membership_.incarnation(), created});
  } else if (is(HolderMembership::State::stale)) {
    log_.say(Level::info,
             created
               ? "has joined again; it continues from the shared parameters"
               : "has joined again; the parameter holder restarted without parameters and gets "
                 "them from the first worker that syncs");
  }
}

void RemoteHolderState::fail_to_join(const caf::error& error) {
  joining_.deliver(error);
  membership_.leave();
  connections_.forget();
}

void RemoteHolderState::refused(std::size_t shard, const caf::error& error) {
  if (!membership_.is_wanted()) // another shard has refused it, or it has left
    return;
  const auto is_another = connections_.link(shard).refused(sentence(error));
  if (is(HolderMembership::State::joining))
    return fail_to_join(error);
  if (is_another)
    log_.say(Level::error, connections_.name(shard) + " refuses it: " + sentence(error));
  if (error == Error::superseded) { // it must neither join again nor leave in the other's name
    membership_.supersede(error);
    connections_.forget();
    for (const auto& trainer : watching_)
      self_->send(trainer, BeMain{false});
  }
  requests_.give_up_all(error);
}

void RemoteHolderState::rejoin() {
  requests_.rejoin();
  if (!connections_.join_again() || is(HolderMembership::State::joining))
    return;
  connections_.outage().begin(seconds_now(self_));
  if (is(HolderMembership::State::joined))
    log_.say(
      Level::warning,
      std::string{"is no longer known to the parameter holder, which declared it lost or was "
                  "restarted; it joins again"}
        + (options_.is_reader ? ""
                              : "; if there are shared parameters, its training since the last "
                                "sync is discarded"));
  membership_.forgotten();
}

void RemoteHolderState::leave() {
  connections_.leave();
  const auto left
    = fail(Error::not_joined, "worker " + std::to_string(options_.worker) + " has left");
  if (is(HolderMembership::State::joining))
    joining_.deliver(left);
  membership_.leave();
  requests_.give_up_all(left);
}

void RemoteHolderState::handle_renewed(const Renewed& renewed) {
  const auto before = std::exchange(renewed_, renewed);
  if (!before
      || (renewed.main != before->main && renewed.stop.empty())) // at the end none becomes main
    for (const auto& trainer : watching_)
      self_->send(trainer, BeMain{renewed.main == options_.worker});
  perform(end_.update({renewed.stop, renewed.interrupt}, seconds_now(self_), options_.lease));
}

void RemoteHolderState::watch(const Trainer& trainer) {
  watching_.push_back(trainer);
  if (renewed_)
    self_->send(trainer, BeMain{renewed_->main == options_.worker});
}

void RemoteHolderState::poll() {
  polling_ = membership_.is_wanted();
  if (!polling_)
    return;
  self_->delayed_send(self_, poll_shards_every, CheckShards{});
  const auto now = seconds_now(self_);
  connections_.poll();
  requests_.send_all();
  perform(end_.check(now, options_.join_deadline));
  check_interrupt();
  if (is(HolderMembership::State::joining)) {
    const auto waited = now - joining_since_;
    if (waited >= join_patience && !connections_.outage().is_reported())
      connections_.report_waiting();
    if (waited >= options_.join_deadline)
      return fail_to_join(connections_.connect_error());
  }
  requests_.give_up_overdue();
}

// -- requests -------------------------------------------------------------------------------------

caf::result<Parameters> RemoteHolderState::create(const CreateIfAbsent& create) {
  if (auto error = membership_.refusal_of("CreateIfAbsent", connections_.reachable());
      error && !(create.main_first && error == Error::unavailable))
    return error;
  if (auto error = membership_.refusal_of_size(create.values))
    return error;
  return requests_.start(CreateAll{create.values, create.main_first});
}

caf::result<Parameters> RemoteHolderState::pull() {
  if (auto error = membership_.refusal_of("Pull", connections_.reachable()))
    return error;
  return requests_.start(PullAll{});
}

caf::result<Parameters> RemoteHolderState::await(Version after) {
  if (auto error = membership_.refusal_of("Await", connections_.reachable());
      error && error != Error::unavailable)
    return error;
  return requests_.start(AwaitAll{after});
}

ShardedRequests::What RemoteHolderState::exchange_of(Push& push) const {
  if (is(HolderMembership::State::stale))
    return RefetchAll{};
  return ExchangeAll{std::move(push)};
}

caf::result<Parameters> RemoteHolderState::exchange(Exchange& exchange) {
  if (auto error = membership_.refusal_of(exchange.push, connections_.reachable()))
    return error;
  return requests_.start(exchange_of(exchange.push));
}

caf::result<Applied> RemoteHolderState::push(Push& push) {
  if (auto error = membership_.refusal_of(push, connections_.reachable()))
    return error;
  return requests_.start_push(exchange_of(push));
}

template <class Answer, class Request>
caf::result<Answer> RemoteHolderState::forward(std::size_t shard, const Request& request) {
  auto promise = self_->template make_response_promise<Answer>();
  const auto* route = connections_.link(shard).route();
  if (is(HolderMembership::State::superseded))
    promise.deliver(membership_.superseded());
  else if (!route)
    promise.deliver(HolderMembership::unreachable());
  else
    request_within(self_, route->control, forwarding_deadline, request)
      .then([promise](Answer& answer) mutable { promise.deliver(std::move(answer)); },
            pass_error(promise));
  return promise;
}

caf::result<Part> RemoteHolderState::pull_part(const PullPart& pull) {
  const auto shard = membership_.shard_with(pull.selection.name, connections_.reachable());
  if (!shard)
    return shard.error();
  return forward<Part>(*shard, pull);
}

caf::result<Applied> RemoteHolderState::push_part(const PushPart& push) {
  if (auto error = membership_.refusal_of(push.id, connections_.reachable()))
    return error;
  const auto shard = membership_.shard_with(push.selection.name, connections_.reachable());
  if (!shard)
    return shard.error();
  auto mapped = push;
  mapped.id.incarnation = connections_.link(*shard).incarnation();
  return forward<Applied>(*shard, mapped);
}

caf::result<HolderStatus> RemoteHolderState::status() {
  return forward<HolderStatus>(0, GetHolderStatus{});
}

// -- the end --------------------------------------------------------------------------------------

void RemoteHolderState::stop_all(const StopAll& stop) {
  if (!end_.begin(stop, seconds_now(self_)))
    return;
  if (!membership_.is_wanted())
    return perform(end_.give_up());
  perform(end_.update({}, seconds_now(self_), options_.lease));
  connections_.renew(0); // the answer says whether it has arrived
}

void RemoteHolderState::perform(EndRelay::Action action) {
  switch (action) {
  case EndRelay::Action::nothing: break;
  case EndRelay::Action::notify_holder:
    if (const auto* route = connections_.link(0).route())
      self_->send(route->control, end_.stop());
    break;
  case EndRelay::Action::report:
    log_.say(Level::info,
             "training is to end; waiting for " + connections_.name(0)
               + " to inform the others, at most "
               + print_duration(std::chrono::duration<double>(options_.join_deadline)));
    break;
  case EndRelay::Action::give_up:
    log_.say(Level::warning, "cannot inform the others that training ends; stop them by hand");
    [[fallthrough]];
  case EndRelay::Action::pass_on:
    for (const auto& trainer : watching_)
      self_->send(trainer, stop_of(end_.stop()));
    break;
  }
}

void RemoteHolderState::check_interrupt() {
  constexpr auto quick = InterruptWatch::quick_answer;
  switch (interrupt_.check(requests_.any_push_waits(quick), seconds_now(self_))) {
  case InterruptWatch::Action::nothing: break;
  case InterruptWatch::Action::ask:
    for (const auto& trainer : watching_)
      request_within(self_, trainer, timespan_of(quick), GetStatus{})
        .then(
          [this](const Status& status) {
            if (status.interrupted)
              interrupt_.interrupted(seconds_now(self_));
          },
          [](const caf::error&) {}); // it has ended and waits for nothing
    break;
  case InterruptWatch::Action::stop_waiting:
    if (interrupt_.is_report_due())
      log_.say(Level::info, "was told to end and no longer waits for its sync with others; it "
                            "keeps its own parameters");
    requests_.release_pushes(quick);
    break;
  }
}

} // namespace troupe
