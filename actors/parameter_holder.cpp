#include "troupe/actors/parameter_holder.hpp"

#include "troupe/messages/duration.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace troupe {

namespace {

using HolderActor = OwnHolder::extend<caf::reacts_to<LookAtLeases>>;

constexpr double look_at_leases_every = 0.25; // seconds; at the leases, where there are any
constexpr double least_rest = 0.001;          // seconds until a look at a round that was too early
constexpr double never = std::numeric_limits<double>::infinity();
constexpr double round_patience = 2; // seconds of a round before people are told for whom it waits
constexpr double between_news = 30;  // times as long before they are told again

/// "worker 2", "workers 2 and 5"
std::string names(const std::vector<WorkerId>& workers) {
  std::string text = workers.size() == 1 ? "worker " : "workers ";
  for (std::size_t i = 0; i < workers.size(); ++i)
    text += (i == 0 ? "" : i + 1 == workers.size() ? " and " : ", ") + std::to_string(workers[i]);
  return text;
}

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
    // What an earlier incarnation waited for, it does not hear.
    forget(join.worker);
    settle();
    if (join.lease > 0) {
      if (joined->incarnation > 1)
        say(Level::info, names({join.worker}) + " is back (incarnation "
                           + std::to_string(joined->incarnation) + ")");
      look_later();
    }
    return *joined;
  }

  caf::expected<Renewed> renew(const Renew& renew) { return store_.renew(renew, now()); }

  caf::result<Parameters> create(const CreateIfAbsent& create) {
    auto promise = self_->make_response_promise<Parameters>();
    creating_.push_back({now(), create, promise});
    settle();
    look_later();
    return promise;
  }

  caf::result<Parameters> await(const Await& await) {
    if (store_.newer_than(await.after)) {
      auto newest = store_.pull();
      return *newest;
    }
    auto promise = self_->make_response_promise<Parameters>();
    awaiting_.push_back({await.after, promise});
    return promise;
  }

  caf::result<HeldUp> await_held_up() {
    if (!waiting_.empty())
      return held_up();
    auto promise = self_->make_response_promise<HeldUp>();
    awaiting_held_up_.push_back(promise);
    return promise;
  }

  caf::result<Parameters> exchange(Exchange& exchange) {
    const auto id = exchange.push.id;
    auto pushed = store_.exchange(std::move(exchange.push), now());
    if (pushed.refusal)
      return pushed.refusal;
    auto promise = self_->make_response_promise<Parameters>();
    if (pushed.answer)
      promise.deliver(std::move(*pushed.answer));
    else
      waiting_.emplace(id.worker, Waiting{now(), promise, {}});
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
      waiting_.emplace(id.worker, Waiting{now(), {}, promise});
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

  void look() {
    if (now() < next_look_ - 1e-6)
      return; // another one came before this, and has asked for the next
    next_look_ = never;
    for (auto worker : store_.expire(now())) {
      forget(worker);
      say(Level::warning, names({worker})
                            + " has not renewed its lease in time and is taken for lost; nobody "
                              "waits for it, and it may join again");
    }
    settle();
    if (waits_for_absent() && longest_wait() >= options_.join_grace) {
      store_.waive_absent();
      say(Level::warning, "not all workers have joined within "
                            + print_duration(std::chrono::duration<double>(options_.join_grace))
                            + "; the others go on without them");
      settle();
    }
    tell_of_waiting();
    look_later();
  }

  /// Whoever waits for an answer would wait for ever.
  void end() {
    const auto error = fail(Error::unavailable, "the parameter holder has ended");
    for (auto& [worker, waiting] : waiting_)
      waiting.refuse(error);
    for (auto& one : awaiting_)
      one.promise.deliver(error);
    for (auto& one : creating_)
      one.promise.deliver(error);
    for (auto& promise : awaiting_held_up_)
      promise.deliver(error);
    waiting_.clear();
    awaiting_.clear();
    creating_.clear();
    awaiting_held_up_.clear();
  }

  void use_bulk_port(const UseBulkPort& use) { bulk_ = use; }

  HolderStatus status() const {
    auto status = store_.status();
    status.bulk_port = bulk_.port;
    status.bulk_name = bulk_.name;
    return status;
  }

  ParameterStore& store() { return store_; }

private:
  /// A push whose answer waits: for its round, or until the worker is no longer too far ahead.
  struct Waiting {
    double since = 0;
    caf::typed_response_promise<Parameters> exchange;
    caf::typed_response_promise<Applied> push;

    void refuse(const caf::error& error) {
      if (exchange.pending())
        exchange.deliver(error);
      if (push.pending())
        push.deliver(error);
    }
  };
  /// A worker without parameters, which waits for those of the main one.
  struct Creating {
    double since = 0;
    CreateIfAbsent create;
    caf::typed_response_promise<Parameters> promise;
  };
  struct Awaiting {
    Version after = 0;
    caf::typed_response_promise<Parameters> promise;
  };

  double now() const {
    return std::chrono::duration<double>(self_->clock().now().time_since_epoch()).count();
  }

  void say(Level level, const std::string& text) {
    if (options_.logger)
      self_->send(options_.logger, Say{level, "parameter holder: " + text});
  }

  void look_later() {
    const auto needed = store_.next_end(now()) < 1e9 || !waiting_.empty() || !creating_.empty();
    const auto rest = std::clamp(store_.next_round(now()), least_rest, look_at_leases_every);
    if (!needed || next_look_ <= now() + rest)
      return;
    next_look_ = now() + rest;
    self_->delayed_send(self_, timespan_of(rest), LookAtLeases{});
  }

  void forget(WorkerId worker) {
    const auto error
      = fail(Error::not_joined, names({worker}) + " has left or joined anew since it asked");
    for (auto found = waiting_.find(worker); found != waiting_.end();
         found = waiting_.find(worker)) {
      auto waiting = waiting_.extract(found);
      waiting.mapped().refuse(error);
    }
    std::erase_if(creating_, [&](Creating& one) {
      const auto gone = one.create.worker == worker;
      if (gone)
        one.promise.deliver(error);
      return gone;
    });
  }

  /// After a push: others may have what they waited for.
  void changed() {
    settle();
    if (!waiting_.empty())
      for (auto& promise : std::exchange(awaiting_held_up_, {}))
        promise.deliver(held_up());
    if (!waiting_.empty())
      look_later();
  }

  bool waits_for_absent() const {
    return store_.waits_for_absent() || (!creating_.empty() && store_.absent() > 0);
  }

  /// Seconds for which a push has waited, or, before there can be any, a worker for parameters.
  double longest_wait() const {
    auto longest = 0.0;
    for (const auto& [worker, waiting] : waiting_)
      longest = std::max(longest, now() - waiting.since);
    for (const auto& one : creating_)
      longest = std::max(longest, now() - one.since);
    return longest;
  }

  void tell_of_waiting() {
    if (longest_wait() < round_patience)
      patience_ = round_patience;
    if (longest_wait() < patience_)
      return;
    const auto waited = rounded_length(patience_);
    patience_ *= between_news;
    const auto missing = store_.status().missing, slow = store_.too_slow();
    const auto grace = print_duration(std::chrono::duration<double>(options_.join_grace));
    if (!creating_.empty())
      say(Level::info,
          "no worker begins before the main one, " + names({store_.main()})
            + ", has created the parameters"
            + (waits_for_absent() ? "; it has not joined yet and is waited for at most " + grace
                                  : ""));
    else if (store_.waits_for_absent())
      say(Level::info, "a round waits for workers that have not joined yet, at most " + grace);
    else if (!missing.empty())
      say(Level::info, "a round has waited " + waited + " for " + names(missing));
    else if (!slow.empty())
      say(Level::info, "a worker that is ahead has waited " + waited + " for " + names(slow));
  }

  HeldUp held_up() const {
    HeldUp held_up;
    for (auto one = waiting_.begin(); one != waiting_.end(); one = waiting_.upper_bound(one->first))
      held_up.workers.push_back(one->first);
    return held_up;
  }

  void settle() {
    create_next();
    for (auto& settled : store_.settle(now()))
      for (auto found = waiting_.find(settled.id.worker); found != waiting_.end();
           found = waiting_.find(settled.id.worker)) {
        auto waiting = waiting_.extract(found);
        const auto& parameters = settled.parameters;
        if (waiting.mapped().exchange.pending())
          waiting.mapped().exchange.deliver(parameters);
        else if (waiting.mapped().push.pending())
          waiting.mapped().push.deliver(Applied{parameters.version, parameters.staleness});
      }
    tell_awaiting();
  }

  /// Once one of them has created parameters, nobody waits.
  void create_next() {
    const auto may = [this](const Creating& one) { return !store_.waits_for_main(one.create); };
    for (auto one = std::find_if(creating_.begin(), creating_.end(), may); one != creating_.end();
         one = std::find_if(creating_.begin(), creating_.end(), may)) {
      auto created = store_.create_if_absent(one->create);
      if (created)
        one->promise.deliver(std::move(*created));
      else
        one->promise.deliver(created.error());
      creating_.erase(one);
    }
  }

  void tell_awaiting() {
    auto later
      = std::stable_partition(awaiting_.begin(), awaiting_.end(), [this](const Awaiting& one) {
          return !store_.newer_than(one.after);
        });
    for (auto one = later; one != awaiting_.end(); ++one) {
      auto newest = store_.pull();
      one->promise.deliver(std::move(*newest));
    }
    awaiting_.erase(later, awaiting_.end());
  }

  Self self_ = nullptr;
  ParameterHolderOptions options_;
  ParameterStore store_;
  /// A push that is sent again waits twice: only one of the ways may be left when it is answered.
  std::multimap<WorkerId, Waiting> waiting_;
  std::vector<Awaiting> awaiting_;
  std::vector<Creating> creating_; ///< in the order in which they asked
  std::vector<caf::typed_response_promise<HeldUp>> awaiting_held_up_;
  double patience_ = round_patience; ///< seconds of waiting before people are told once more
  double next_look_ = never;         ///< when a look is due
  UseBulkPort bulk_;
};

HolderActor::behavior_type parameter_holder(ParameterHolderState::Self self,
                                            ParameterHolderOptions options) {
  auto& state = self->state;
  state.begin(self, std::move(options));
  self->set_exit_handler([self](caf::exit_msg& exit) {
    self->state.end();
    self->quit(exit.reason);
  });
  self->set_exception_handler([self](std::exception_ptr& error) {
    self->state.end();
    return caf::scheduled_actor::default_exception_handler(self, error);
  });
  return {
    [&state](const Join& join) { return state.join(join); },
    [&state](const Renew& renew) { return state.renew(renew); },
    [&state](const CreateIfAbsent& create) { return state.create(create); },
    [&state](const Pull&) { return state.store().pull(); },
    [&state](const Await& await) { return state.await(await); },
    [&state](const AwaitHeldUp&) { return state.await_held_up(); },
    [&state](Push& push) { return state.push(push); },
    [&state](Exchange& exchange) { return state.exchange(exchange); },
    [&state](const PullPart& pull) { return state.store().pull_part(pull.selection); },
    [&state](const PushPart& push) { return state.push_part(push); },
    [&state](const Leave& leave) { state.leave(leave); },
    [&state](const StopAll& stop) { state.store().stop_all(stop.reason); },
    [&state](const UseBulkPort& use) { state.use_bulk_port(use); },
    [&state](const GetHolderStatus&) { return state.status(); },
    [&state](const SaveHolder&) { return state.store().save(); },
    [&state](const RestoreHolder& restore) { return state.restore(restore.state); },
    [&state](const LookAtLeases&) { state.look(); },
  };
}

} // namespace

OwnHolder spawn_parameter_holder(caf::actor_system& system, ParameterHolderOptions options) {
  return system.spawn(parameter_holder, std::move(options));
}

} // namespace troupe
