#include "actors/parameters/parameter_holder.hpp"

#include "actors/cluster/exit_handler.hpp"
#include "actors/parameters/awaited_versions.hpp"
#include "actors/parameters/first_parameters.hpp"
#include "actors/parameters/waiting_pushes.hpp"
#include "base/text/duration.hpp"
#include "messages/parameters/wait_report.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace troupe {

namespace {

using HolderActor = LocalHolder::extend<caf::reacts_to<CheckLeases>>;

constexpr double holder_check_interval = 0.25; // seconds; while there are leases
constexpr double least_pause = 0.001; // seconds until a round that was too early is checked
                                      // again
constexpr double no_check = std::numeric_limits<double>::infinity();

class ParameterHolderState {
public:
  static constexpr const char* name = "parameter holder";
  using Self = HolderActor::stateful_pointer<ParameterHolderState>;

  void begin(Self self, ParameterHolderOptions options) {
    self_ = self;
    store_ = ParameterStore{options.store};
    store_.expect(options.workers);
    options_ = std::move(options);
  }

  caf::result<Joined> join(const Join& join) {
    auto joined = store_.join(join, now());
    if (!joined) {
      say(Level::warning, sentence(joined.error()));
      return joined.error();
    }
    // Requests of the earlier incarnation get no result.
    forget(join.worker);
    settle();
    if (join.lease > 0) {
      if (joined->incarnation > 1)
        say(Level::info, workers_text({join.worker}) + " is back (incarnation "
                           + std::to_string(joined->incarnation) + ")");
      schedule_check();
    }
    return *joined;
  }

  caf::expected<Renewed> renew(const Renew& renew) { return store_.renew(renew, now()); }

  caf::result<Parameters> create(const CreateIfAbsent& create) {
    auto promise = self_->make_response_promise<Parameters>();
    creating_.add(create, now(), promise);
    settle();
    schedule_check();
    return promise;
  }

  caf::result<Parameters> await(const Await& await) {
    if (store_.newer_than(await.after)) {
      auto newest = store_.pull();
      return *newest;
    }
    auto promise = self_->make_response_promise<Parameters>();
    awaiting_.add(await.after, promise);
    return promise;
  }

  caf::result<BlockedWorkers> await_blocked_workers() {
    if (!waiting_.empty())
      return BlockedWorkers{waiting_.workers()};
    auto promise = self_->make_response_promise<BlockedWorkers>();
    awaiting_blocked_.push_back(promise);
    return promise;
  }

  void answer_blocked_workers() {
    for (auto& promise : std::exchange(awaiting_blocked_, {}))
      promise.deliver(BlockedWorkers{waiting_.workers()});
  }

  caf::result<Parameters> exchange(Exchange& exchange) {
    const auto id = exchange.push.id;
    const auto came = now();
    auto pushed = store_.exchange(std::move(exchange.push), came);
    if (pushed.refusal)
      return pushed.refusal;
    const auto worked = now() - came;
    auto promise = self_->make_response_promise<Parameters>();
    if (pushed.answer) {
      pushed.answer->at_holder = {came, came + worked, worked};
      promise.deliver(std::move(*pushed.answer));
    } else {
      waiting_.add(id.worker, came, worked, promise);
    }
    last_push_ = {came, id.worker};
    changed();
    return promise;
  }

  caf::result<Applied> push(Push& push) {
    const auto id = push.id;
    const auto pushed = store_.exchange(std::move(push), now());
    if (pushed.refusal)
      return pushed.refusal;
    auto promise = self_->make_response_promise<Applied>();
    if (pushed.answer)
      promise.deliver(store_.last_applied(id.worker));
    else
      waiting_.add(id.worker, now(), promise);
    changed();
    return promise;
  }

  caf::result<Applied> push_part(const PushPart& push) {
    auto applied = store_.push_part(push, now());
    if (!applied)
      return applied.error();
    changed();
    return *applied;
  }

  void leave(const Leave& leave) {
    store_.leave(leave.worker, leave.incarnation);
    if (!store_.joined(leave.worker))
      forget(leave.worker);
    settle();
  }

  caf::result<Joined> restore(const SavedHolder& saved) {
    if (auto error = store_.restore(saved))
      return error;
    return Joined{0, true};
  }

  void check_leases() {
    if (now() < next_check_ - 1e-6)
      return; // an earlier check has scheduled the next one
    next_check_ = no_check;
    for (auto worker : store_.expire(now())) {
      forget(worker);
      say(Level::warning, workers_text({worker})
                            + " has not renewed its lease in time and is lost; no worker "
                              "waits for it, and it may join again");
    }
    settle();
    if (waits_for_absent() && longest_wait() >= options_.join_grace) {
      store_.waive_absent();
      say(Level::warning, "not all workers have joined within "
                            + print_duration(std::chrono::duration<double>(options_.join_grace))
                            + "; the others continue without them");
      settle();
    }
    report_wait();
    schedule_check();
  }

  /// Answers pending requests, whose senders would wait forever.
  void end(const std::string& why) {
    const auto error = fail(Error::unavailable, "the parameter holder has ended (" + why + ")");
    waiting_.refuse_all(error);
    creating_.refuse_all(error);
    awaiting_.refuse_all(error);
    for (auto& promise : std::exchange(awaiting_blocked_, {}))
      promise.deliver(error);
  }

  void use_block_port(const UseBlockPort& use) { block_ = use; }

  HolderStatus status() const {
    auto status = store_.status();
    status.block_port = block_.port;
    status.block_name = block_.name;
    return status;
  }

  ParameterStore& store() { return store_; }

private:
  double now() const { return seconds_now(self_); }

  void say(Level level, const std::string& text) {
    if (options_.logger)
      self_->send(options_.logger, Say{level, "parameter holder: " + text});
  }

  void schedule_check() {
    const auto pause = std::clamp(store_.next_round(now()), least_pause, holder_check_interval);
    if (next_check_ <= now() + pause)
      return;
    if (waiting_.empty() && creating_.empty() && store_.next_end(now()) > 1e9) // no lease either
      return;
    next_check_ = now() + pause;
    self_->delayed_send(self_, timespan_of(pause), CheckLeases{});
  }

  void forget(WorkerId worker) {
    const auto error = fail(Error::not_joined,
                            workers_text({worker}) + " has left or joined again since the request");
    waiting_.refuse(worker, error);
    creating_.refuse(worker, error);
  }

  /// After a push: answers requests that waited for it.
  void changed() {
    settle();
    if (waiting_.empty())
      return;
    answer_blocked_workers();
    schedule_check();
  }

  bool waits_for_absent() const {
    return store_.waits_for_absent() || (!creating_.empty() && store_.absent() > 0);
  }

  /// Seconds that a push has waited, or, before there can be any, a worker for parameters.
  double longest_wait() const {
    return std::max(waiting_.longest(now()), creating_.longest(now()));
  }

  void report_wait() {
    if (!wait_report_.is_due(longest_wait()))
      return;
    if (const auto report
        = wait_report_.describe({!creating_.empty(), waits_for_absent(), options_.join_grace,
                                 store_.main(), store_.status().missing, store_.too_slow()}))
      say(Level::info, *report);
  }

  void settle() {
    creating_.settle(store_);
    const auto began = now();
    const auto all_settled = store_.settle(began);
    const EndedWait ended{began, now() - began, last_push_.at, last_push_.worker};
    for (const auto& settled : all_settled)
      waiting_.answer(settled, ended);
    awaiting_.settle(store_);
  }

  Self self_ = nullptr;
  ParameterHolderOptions options_;
  ParameterStore store_;
  FirstParameters creating_;
  WaitingPushes waiting_;
  struct {
    double at = 0; ///< seconds on the clock
    WorkerId worker = 0;
  } last_push_;
  AwaitedVersions awaiting_;
  std::vector<caf::typed_response_promise<BlockedWorkers>> awaiting_blocked_;
  WaitReport wait_report_;
  double next_check_ = no_check; ///< when the next check is due
  UseBlockPort block_;
};

HolderActor::behavior_type parameter_holder(ParameterHolderState::Self self,
                                            ParameterHolderOptions options) {
  auto& state = self->state;
  state.begin(self, std::move(options));
  install_exit_handler(self, [&state](const std::string& why) { state.end(why); });
  return {
    [&state](const Join& join) { return state.join(join); },
    [&state](const Renew& renew) { return state.renew(renew); },
    [&state](const CreateIfAbsent& create) { return state.create(create); },
    [&state](const Pull&) { return state.store().pull(); },
    [&state](const Await& await) { return state.await(await); },
    [&state](const AwaitBlockedWorkers&) { return state.await_blocked_workers(); },
    [&state](const EndQuiescence&) { state.answer_blocked_workers(); },
    [&state](Push& push) { return state.push(push); },
    [&state](Exchange& exchange) { return state.exchange(exchange); },
    [&state](const PullPart& pull) { return state.store().pull_part(pull.selection); },
    [&state](const PushPart& push) { return state.push_part(push); },
    [&state](const Leave& leave) { state.leave(leave); },
    [&state](const StopAll& stop) { state.store().stop_all(stop); },
    [&state](const UseBlockPort& use) { state.use_block_port(use); },
    [&state](const GetHolderStatus&) { return state.status(); },
    [&state](const SaveHolder&) { return state.store().save(); },
    [&state](const RestoreHolder& restore) { return state.restore(restore.state); },
    [&state](const CheckLeases&) { state.check_leases(); },
  };
}

} // namespace

LocalHolder spawn_parameter_holder(caf::actor_system& system, ParameterHolderOptions options) {
  return system.spawn(parameter_holder, std::move(options));
}

} // namespace troupe
