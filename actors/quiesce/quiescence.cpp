#include "actors/quiesce/quiescence.hpp"

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

constexpr auto quiesced_patience = std::chrono::seconds{2}; // before people are told for whom

class QuiescenceState {
public:
  static constexpr const char* name = "standstill";
  using Self = QuiescenceActor::stateful_pointer<QuiescenceState>;

  void begin(Self self, QuiescenceOptions options) {
    self_ = self;
    options_ = std::move(options);
    workers_ = QuiescedWorkers{options_.trainers.size()};
    for (const auto& trainer : options_.trainers)
      self_->monitor(trainer);
  }

  /// A later caller joins the quiescence that is there, or on its way.
  void call() {
    if (++callers_ == 1)
      order_all(0);
  }

  /// Somebody else calls, and may not live to end it.
  void call(const caf::actor_addr& caller) {
    if (!others_.contains(caller))
      self_->monitor(caller);
    others_.insert(caller);
    call();
  }

  caf::typed_response_promise<QuiescenceReached> await() {
    auto promise = self_->make_response_promise<QuiescenceReached>();
    reached([promise]() mutable { promise.deliver(QuiescenceReached{}); });
    return promise;
  }

  void end() {
    if (callers_ == 0 || --callers_ > 0)
      return;
    if (steps_ > 0) // that somebody wants before they stand for good
      step();
    else
      go_on();
  }

  void end(const caf::actor_addr& caller) {
    const auto one = others_.find(caller);
    if (one == others_.end())
      return;
    others_.erase(one);
    if (!others_.contains(caller)) // else this would end all monitors of it
      self_->demonitor(caller);
    end();
  }

  void stop(Stop stop) {
    call();
    reached([this, stop]() mutable {
      if (stop.level == StopLevel::after_epoch)
        stop.epochs = workers_.common_epochs();
      forget_pause();
      tell_all(stop);
      end();
    });
  }

  caf::typed_response_promise<QuiescenceReached> pause() {
    const auto promise = await_pause();
    call();
    reached([this] { rest(); });
    return promise;
  }

  /// Not before others have taken the states for which they have called.
  caf::typed_response_promise<QuiescenceReached> advance(Step batches) {
    const auto promise = await_pause();
    steps_ += batches;
    if (callers_ == 0)
      step();
    return promise;
  }

  void resume() {
    forget_pause();
    tell_all(Resume{});
  }

  /// What it owed us does not come any more: a trainer's answer, or the end of what it has called.
  /// That ends as in good order, when all stand: whoever calls next finds nobody half-way.
  void lost(const caf::actor_addr& actor) {
    for (std::size_t worker = 0; worker < options_.trainers.size(); ++worker)
      if (options_.trainers[worker].address() == actor)
        stands(worker, {});
    if (others_.contains(actor))
      reached([this, actor] {
        while (others_.contains(actor))
          end(actor);
      });
  }

  void look() {
    const auto waits = callers_ > 0 && !workers_.all_stopped();
    if (!waits || self_->clock().now() - began_ < quiesced_patience || !options_.logger)
      return;
    std::string names;
    for (const auto worker : workers_.moving())
      names += (names.empty() ? "" : ", ") + std::to_string(worker);
    self_->send(
      options_.logger,
      Say{Level::info,
          "a standstill of all workers has waited 2 s for the batches of workers: " + names});
  }

private:
  template <class Message>
  void tell_all(const Message& message) {
    for (const auto& trainer : options_.trainers)
      self_->send(trainer, message);
  }

  void go_on() {
    tell_all(LeaveQuiescence{});
    if (asking_)
      self_->send(options_.holder, EndQuiescence{});
  }

  void order_all(Step batches) {
    workers_.begin();
    began_ = self_->clock().now();
    for (std::size_t worker = 0; worker < options_.trainers.size(); ++worker)
      order(worker, batches);
    self_->delayed_send(self_, quiesced_patience, CheckDeadlines{});
  }

  void order(std::size_t worker, Step batches) {
    self_->request(options_.trainers[worker], caf::infinite, Quiesce{batches})
      .then([this, worker](const Quiesced& standing) { stands(worker, standing); },
            [this, worker](const caf::error&) { stands(worker, {}); });
  }

  void stands(std::size_t worker, const Quiesced& standing) {
    workers_.stopped(worker, standing);
    if (workers_.all_stopped())
      for (auto& then : std::exchange(waiting_, {}))
        then();
    ask_who_is_held_up();
  }

  /// Only where somebody stands can others wait in vain.
  void ask_who_is_held_up() {
    if (asking_ || callers_ == 0 || workers_.all_stopped() || !workers_.any_stopped())
      return;
    asking_ = true;
    self_->request(options_.holder, caf::infinite, AwaitHeldUp{})
      .then(
        [this](const HeldUp& held_up) {
          asking_ = false;
          if (callers_ == 0)
            return;
          for (const auto worker : workers_.continue_for(held_up.workers))
            order(worker, 1);
          if (held_up.workers.empty()) // of the quiescence before
            ask_who_is_held_up();
        },
        [this](const caf::error&) { asking_ = false; });
  }

  caf::typed_response_promise<QuiescenceReached> await_pause() {
    pauses_ = true;
    pausing_.push_back(self_->make_response_promise<QuiescenceReached>());
    return pausing_.back();
  }

  /// @pre nobody calls
  void step() {
    ++callers_;
    order_all(std::exchange(steps_, 0));
    reached([this] { rest(); });
  }

  /// All stand, and by now it may be that nobody wants them to stay.
  void rest() {
    if (pauses_)
      tell_all(Pause{});
    if (steps_ == 0)
      answer_pause();
    end();
  }

  void forget_pause() {
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
  std::size_t callers_ = 0;               ///< calls that have not ended
  std::multiset<caf::actor_addr> others_; ///< whose they are, apart from our own
  caf::actor_clock::time_point began_;    ///< the quiescence that is on its way
  bool asking_ = false;
  std::vector<std::function<void()>> waiting_;
  bool pauses_ = false; ///< people want all to stay where they stand
  Step steps_ = 0;      ///< batches that each shall train before
  std::vector<caf::typed_response_promise<QuiescenceReached>> pausing_;
};

QuiescenceActor::behavior_type quiescence(QuiescenceState::Self self, QuiescenceOptions options) {
  auto& state = self->state;
  state.begin(self, std::move(options));
  self->set_down_handler([&state](caf::down_msg& down) { state.lost(down.source); });
  return {
    [&state, self](const RequestQuiescence&) {
      state.call(caf::actor_cast<caf::actor_addr>(self->current_sender()));
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
    [&state](const CheckDeadlines&) { state.look(); },
  };
}

} // namespace

Quiescence spawn_quiescence(caf::actor_system& system, QuiescenceOptions options) {
  return system.spawn(quiescence, std::move(options));
}

} // namespace troupe
