#include "actors/quiesce/quiescence.hpp"

#include "base/text/text.hpp"
#include "messages/quiesce/quiesced_workers.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <set>
#include <utility>

namespace troupe {

namespace {

using QuiescenceActor = Quiescence::extend<caf::reacts_to<CheckDeadlines>>;

constexpr auto quiesced_patience = std::chrono::seconds{2}; // before a line says what it waits
                                                            // for

class QuiescenceState {
public:
  static constexpr const char* name = "quiescence";
  using Self = QuiescenceActor::stateful_pointer<QuiescenceState>;

  void begin(Self self, QuiescenceOptions options) {
    self_ = self;
    options_ = std::move(options);
    workers_ = QuiescedWorkers{options_.trainers.size()};
    for (const auto& trainer : options_.trainers)
      self_->monitor(trainer);
  }

  /// A later request joins the quiescence that exists or is in progress.
  void request() {
    if (++requests_ == 1)
      quiesce_all(0);
  }

  /// The request of another actor, which may be lost before it ends it.
  void request(const caf::actor_addr& requester) {
    if (!requesters_.contains(requester))
      self_->monitor(requester);
    requesters_.insert(requester);
    request();
  }

  caf::typed_response_promise<QuiescenceReached> await() {
    auto promise = self_->make_response_promise<QuiescenceReached>();
    reached([promise]() mutable { promise.deliver(QuiescenceReached{}); });
    return promise;
  }

  void end() {
    if (requests_ == 0 || --requests_ > 0)
      return;
    if (steps_ > 0) // requested steps come before the pause
      step();
    else
      release();
  }

  void end(const caf::actor_addr& requester) {
    const auto one = requesters_.find(requester);
    if (one == requesters_.end())
      return;
    requesters_.erase(one);
    if (!requesters_.contains(requester)) // otherwise this would end all monitors of it
      self_->demonitor(requester);
    end();
  }

  void stop(Stop stop) {
    request();
    reached([this, stop]() mutable {
      if (stop.level == StopLevel::after_epoch)
        stop.epochs = workers_.common_epochs();
      cancel_pause();
      send_all(stop);
      end();
    });
  }

  caf::typed_response_promise<QuiescenceReached> pause() {
    const auto promise = await_pause();
    request();
    reached([this] { hold(); });
    return promise;
  }

  /// Waits until the states for which others requested a quiescence are taken.
  caf::typed_response_promise<QuiescenceReached> advance(Step batches) {
    const auto promise = await_pause();
    steps_ += batches;
    if (requests_ == 0)
      step();
    return promise;
  }

  void resume() {
    cancel_pause();
    send_all(Resume{});
  }

  /// The actor's answer or EndQuiescence will not come. Its requests end in order, when all have
  /// stopped, so that the next one finds a consistent state.
  void lost(const caf::actor_addr& actor) {
    for (std::size_t worker = 0; worker < options_.trainers.size(); ++worker)
      if (options_.trainers[worker].address() == actor)
        stopped(worker, {});
    if (requesters_.contains(actor))
      reached([this, actor] {
        while (requesters_.contains(actor))
          end(actor);
      });
  }

  void check_deadlines() {
    const auto waits = requests_ > 0 && !workers_.all_stopped();
    if (!waits || self_->clock().now() - began_ < quiesced_patience || !options_.logger)
      return;
    const auto names
      = joined(workers_.moving(), ", ", [](WorkerId w) { return std::to_string(w); });
    self_->send(
      options_.logger,
      Say{Level::info,
          "a quiescence of all workers has waited 2 s for the batches of workers: " + names});
  }

private:
  template <class Message>
  void send_all(const Message& message) {
    for (const auto& trainer : options_.trainers)
      self_->send(trainer, message);
  }

  void release() {
    send_all(LeaveQuiescence{});
    if (asking_)
      self_->send(options_.holder, EndQuiescence{});
  }

  void quiesce_all(Step batches) {
    workers_.begin();
    began_ = self_->clock().now();
    for (std::size_t worker = 0; worker < options_.trainers.size(); ++worker)
      quiesce(worker, batches);
    self_->delayed_send(self_, quiesced_patience, CheckDeadlines{});
  }

  void quiesce(std::size_t worker, Step batches) {
    self_->request(options_.trainers[worker], caf::infinite, Quiesce{batches})
      .then([this, worker](const Quiesced& quiesced) { stopped(worker, quiesced); },
            [this, worker](const caf::error&) { stopped(worker, {}); });
  }

  void stopped(std::size_t worker, const Quiesced& quiesced) {
    workers_.stopped(worker, quiesced);
    if (workers_.all_stopped())
      for (auto& then : std::exchange(waiting_, {}))
        then();
    ask_who_is_blocked();
  }

  /// The others can only be waiting forever if a worker has stopped.
  void ask_who_is_blocked() {
    if (asking_ || requests_ == 0 || workers_.all_stopped() || !workers_.any_stopped())
      return;
    asking_ = true;
    self_->request(options_.holder, caf::infinite, AwaitBlockedWorkers{})
      .then(
        [this](const BlockedWorkers& blocked) {
          asking_ = false;
          if (requests_ == 0)
            return;
          for (const auto worker : workers_.continue_for(blocked.workers))
            quiesce(worker, 1);
          if (blocked.workers.empty()) // from the quiescence before
            ask_who_is_blocked();
        },
        [this](const caf::error&) { asking_ = false; });
  }

  caf::typed_response_promise<QuiescenceReached> await_pause() {
    pauses_ = true;
    pausing_.push_back(self_->make_response_promise<QuiescenceReached>());
    return pausing_.back();
  }

  /// @pre no request is pending
  void step() {
    ++requests_;
    quiesce_all(std::exchange(steps_, 0));
    reached([this] { hold(); });
  }

  /// All have stopped, but the pause may have been cancelled meanwhile.
  void hold() {
    if (pauses_)
      send_all(Pause{});
    if (steps_ == 0)
      answer_pause();
    end();
  }

  void cancel_pause() {
    pauses_ = false;
    steps_ = 0;
    answer_pause();
  }

  void answer_pause() {
    for (auto& promise : std::exchange(pausing_, {}))
      promise.deliver(QuiescenceReached{});
  }

  void reached(std::function<void()> then) {
    if (workers_.all_stopped())
      then();
    else
      waiting_.push_back(std::move(then));
  }

  Self self_ = nullptr;
  QuiescenceOptions options_;
  QuiescedWorkers workers_{0};
  std::size_t requests_ = 0;                  ///< requests that have not ended
  std::multiset<caf::actor_addr> requesters_; ///< their senders, except this actor
  caf::actor_clock::time_point began_;        ///< when the current quiescence began
  bool asking_ = false;
  std::vector<std::function<void()>> waiting_;
  bool pauses_ = false; ///< all are to stay paused
  Step steps_ = 0;      ///< batches that each is to train first
  std::vector<caf::typed_response_promise<QuiescenceReached>> pausing_;
};

QuiescenceActor::behavior_type quiescence(QuiescenceState::Self self, QuiescenceOptions options) {
  auto& state = self->state;
  state.begin(self, std::move(options));
  self->set_down_handler([&state](caf::down_msg& down) { state.lost(down.source); });
  return {
    [&state, self](const RequestQuiescence&) {
      state.request(caf::actor_cast<caf::actor_addr>(self->current_sender()));
      return QuiescenceRequested{};
    },
    [&state](const AwaitQuiescence&) { return state.await(); },
    [&state, self](const EndQuiescence&) {
      state.end(caf::actor_cast<caf::actor_addr>(self->current_sender()));
    },
    [&state](const Stop& stop) { state.stop(stop); },
    [&state](const StopAll& stop) { state.stop(stop_of(stop)); },
    [&state](const Pause&) { return state.pause(); },
    [&state](const Advance& advance) { return state.advance(advance.batches); },
    [&state](const Resume&) { state.resume(); },
    [&state](const CheckDeadlines&) { state.check_deadlines(); },
  };
}

} // namespace

Quiescence spawn_quiescence(caf::actor_system& system, QuiescenceOptions options) {
  return system.spawn(quiescence, std::move(options));
}

} // namespace troupe
