#include "extensions/sync/parameter_sync.hpp"

#include "base/text/duration.hpp"
#include "extensions/support/extension_context.hpp"
#include "extensions/support/saved_state.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/timing/spent_time.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/tensor/finite_numbers.hpp"
#include "model/update_rules/apply_rule.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe {

HolderFate fate_of_holder(const ExtensionContext& context) {
  return context.local_holder ? HolderFate::saved_with_run : HolderFate::outlives_run;
}

ParameterSync::ParameterSync(Extension::pointer self, ParameterSyncOptions options,
                             ParameterHolder holder, Layout layout, HolderFate fate)
  : self_(self),
    options_(options),
    holder_(std::move(holder)),
    shared_(options, layout),
    pushes_(options, fate == HolderFate::outlives_run,
            {layout, static_cast<std::size_t>(options.fragments), options.staleness.synchronous()}),
    membership_(options.rule, fate, options.fragments == 1 && !options.overlap),
    layout_(std::move(layout)) {}

double ParameterSync::now() const { return seconds_now(self_); }

caf::duration ParameterSync::deadline() const {
  return caf::duration{timespan_of(options_.deadline)};
}

// The other workers may be in a long validation; the holder is not slow then. The holder reports
// for which workers it waits, leases end the wait for lost workers, and the remote holder notices
// when a distant holder is gone.
caf::duration ParameterSync::deadline(const Push& push) const {
  const auto waits_for_others = push.staleness.synchronous() || push.staleness.bounded();
  return waits_for_others ? caf::duration{caf::infinite} : deadline();
}

caf::error ParameterSync::refusal(const std::string& request, const caf::error& error) const {
  if (error.category() == caf::atom("troupe"))
    return error;
  if (error != caf::sec::request_timeout)
    return fail(Error::gate_failed, "the parameter holder has ended without an answer to " + request
                                      + ": " + sentence(error));
  return fail(Error::gate_failed,
              "the parameter holder did not answer " + request + " within "
                + print_duration(std::chrono::duration<double>(options_.deadline)) + ": "
                + sentence(error));
}

GateAnswer ParameterSync::answer_with(Block shared) {
  auto answer = shared_.answer(std::move(shared));
  if (taken_)
    taken_ = answer.parameters;
  return answer;
}

namespace {

/// What a sync of this length went to.
std::map<std::string, double> parts_of_wait(const TimeAtHolder& time, double seconds) {
  std::map<std::string, double> parts;
  const auto take = [&](const std::string& name, double length) {
    const auto share = std::clamp(length, 0.0, seconds);
    seconds -= share;
    if (share > 0)
      parts[name] = share;
  };
  take(holder_part, time.worked);
  take(part_of_worker(time.waited_for), time.waited);
  take(limit_part, time.delayed);
  take(network_part, seconds);
  return parts;
}

/// The same, one after another.
std::vector<Span> spans_of_wait(const TimeAtHolder& time, double begin, double end) {
  std::vector<Span> spans{{"exchange", begin, end}};
  const auto at_holder = [&](std::string name, double from, double to) {
    if (to > from)
      spans.push_back({std::move(name), from, to, true});
  };
  at_holder("push", time.arrived, time.answered);
  at_holder("waits for worker " + std::to_string(time.waited_for), time.arrived,
            time.arrived + time.waited);
  at_holder("waits for its turn", time.answered - time.delayed, time.answered);
  return spans;
}

/// The worker keeps its own parameters.
GateAnswer keep_own(const Records& records) {
  GateAnswer answer;
  answer.records = records;
  return answer;
}

} // namespace

// -- the protocol ---------------------------------------------------------------------------------

caf::typed_response_promise<GateAnswer> ParameterSync::join(const LoopEvent& event) {
  auto promise = self_->make_response_promise<GateAnswer>();
  flight_.reset();
  const auto worker = event.worker;
  const auto values = shared_.gather(event);
  Join join;
  join.worker = worker;
  join.layout = shared_.layout();
  join.rule = options_.rule;
  request_within(self_, holder_, deadline(), join)
    .then(
      [=, this](const Joined& joined) mutable {
        pushes_.begin(joined.incarnation);
        if (membership_.join(joined.created)) {
          promise.deliver(GateAnswer{});
          return;
        }
        // The main worker may still be loading a model, or start later: the holder reports that,
        // and waits as long as for the first round.
        self_->request(holder_, caf::infinite, CreateIfAbsent{worker, values, true})
          .then(
            [=, this](const Parameters& settled) mutable {
              pushes_.begin_with(settled.version, settled.values);
              auto answer = answer_with(settled.values);
              answer.gradient = {}; // there is no update to apply yet
              if (shares_gradients(options_.rule) && settled.version > 0)
                unapplied_ = settled.values;
              promise.deliver(std::move(answer));
            },
            [=, this](const caf::error& error) mutable {
              promise.deliver(refusal("CreateIfAbsent", error));
            });
      },
      [=, this](const caf::error& error) mutable { promise.deliver(refusal("Join", error)); });
  return promise;
}

Records ParameterSync::timing(double began, double duration, Version staleness) const {
  return {{"param_sync_start", Value{began}},
          {"param_sync_end", Value{began + duration}},
          {"param_sync_duration", Value{duration}},
          {"param_sync_version", Value{static_cast<std::int64_t>(pushes_.version())}},
          {"param_sync_incarnation", Value{static_cast<std::int64_t>(pushes_.incarnation())}},
          {"param_sync_number", Value{static_cast<std::int64_t>(pushes_.number())}},
          {"param_sync_staleness", Value{static_cast<std::int64_t>(staleness)}}};
}

caf::typed_response_promise<GateAnswer>
ParameterSync::exchange(const LoopEvent& event, std::function<void(double, double)> done) {
  auto promise = self_->make_response_promise<GateAnswer>();
  if (auto defect = defect_at_callback(options_.rule, event.callback); !defect.empty()) {
    promise.deliver(fail(Error::invalid_options, defect));
    return promise;
  }
  if (!unapplied_.empty()) {
    shared_.name_parts(event);
    promise.deliver(answer_with(std::exchange(unapplied_, Block{})));
    return promise;
  }
  const auto asked = now();
  const auto own = shared_.gather(event);
  if (!options_.overlap)
    send(event.worker, own);
  const auto worker = event.worker;
  const auto position = event.position;
  when_ended([=, this, done = std::move(done)]() mutable {
    auto flight = std::exchange(flight_, std::nullopt);
    if (flight && flight->error == Error::not_created) // a new holder without the old parameters
      return create_again(worker, own, promise);
    if (flight && flight->error && flight->error != Error::unavailable)
      return static_cast<void>(promise.deliver(refusal("Exchange", flight->error)));
    GateAnswer answer; // without parameters if the remote holder has reported it as unavailable
    auto continued = own;
    if (flight && flight->answer) {
      continued = taken_from(*flight, own, position.batches);
      answer = answer_to(*flight, continued, asked, position.seconds);
      done(asked, now());
    }
    if (options_.overlap)
      send(worker, continued);
    promise.deliver(std::move(answer));
  });
  return promise;
}

void ParameterSync::send(WorkerId worker, const Block& own) {
  auto& flight = flight_.emplace();
  flight.begin = now();
  const auto part = part_of(own, pushes_.fragment());
  if (options_.overlap || traits_of(options_.rule).elastic)
    flight.pushed = part;
  push(
    worker, part, false,
    [this](Parameters& settled) {
      next_push_at_ = now() + settled.not_before;
      land([&](PushInFlight& flight) { flight.answer = std::move(settled); });
    },
    [this](const caf::error& error) { land([&](PushInFlight& flight) { flight.error = error; }); });
}

void ParameterSync::land(const std::function<void(PushInFlight&)>& end) {
  if (!flight_) // the worker has left, and joined again
    return;
  end(*flight_);
  flight_->end = now();
  if (auto then = std::exchange(then_, nullptr))
    then();
}

void ParameterSync::when_ended(std::function<void()> then) {
  if (!flight_ || flight_->ended())
    then();
  else
    then_ = std::move(then);
}

Block ParameterSync::taken_from(PushInFlight& flight, const Block& own, Step batches) {
  auto& settled = *flight.answer;
  membership_.synced(batches);
  if (settled.rejoined) {
    pushes_.take_all(settled.version, settled.values);
    return settled.values;
  }
  const auto fragment = pushes_.fragment();
  auto part = adopted(options_.rule, flight.pushed, std::move(settled.values));
  pushes_.take(settled.version, part);
  if (options_.overlap)
    part = with_progress(part, flight.pushed, part_of(own, fragment), layout_of(layout_, fragment));
  auto whole = own;
  replace_part(whole, fragment, std::move(part));
  return whole;
}

/// @param asked when training began to wait
GateAnswer ParameterSync::answer_to(PushInFlight& flight, Block shared, double asked,
                                    double seconds) {
  const auto& settled = *flight.answer;
  auto answer = answer_with(std::move(shared));
  const auto waited = now() - asked;
  const auto lasted = flight.end - flight.begin;
  if (options_.overlap) { // of what happened meanwhile training has waited for a part only
    answer.spent = parts_of_wait(settled.at_holder, lasted);
    for (auto& [part, length] : answer.spent)
      length *= std::min(1.0, waited / lasted); // a part has a length, so `lasted` is above 0
    answer.spans = {{"exchange", asked, now()}};
  } else {
    answer.spent = parts_of_wait(settled.at_holder, waited);
    answer.spans = spans_of_wait(settled.at_holder, asked, now());
  }
  if (options_.timing_log) {
    answer.records = timing(seconds, waited, settled.staleness);
    if (settled.rejoined)
      answer.records["param_sync_number"] = Value{std::int64_t{0}};
  }
  return answer;
}

void ParameterSync::create_again(WorkerId worker, const Block& own,
                                 caf::typed_response_promise<GateAnswer> promise) {
  request_within(self_, holder_, deadline(), CreateIfAbsent{worker, own})
    .then(
      [=, this](Parameters& settled) mutable {
        pushes_.begin_with(settled.version, settled.values);
        promise.deliver(answer_with(std::move(settled.values)));
      },
      [promise](const caf::error&) mutable { promise.deliver(GateAnswer{}); });
}

caf::typed_response_promise<GateAnswer> ParameterSync::leave(const LoopEvent& event,
                                                             const Records& records) {
  auto promise = self_->make_response_promise<GateAnswer>();
  if (!flight_ || event.callback != Callback::after_training) {
    leave_now(event, records, promise);
    return promise;
  }
  when_ended([=, this, event = event]() mutable {
    auto flight = std::exchange(flight_, std::nullopt);
    if (flight->answer)
      event.parameters.values = taken_from(*flight, shared_.gather(event), event.position.batches);
    leave_now(event, records, promise);
  });
  return promise;
}

void ParameterSync::leave_now(const LoopEvent& event, const Records& records,
                              caf::typed_response_promise<GateAnswer> promise) {
  const auto departure = membership_.departure(event);
  if (departure == Departure::stays || departure == Departure::leaves) {
    if (departure == Departure::leaves)
      send_leave(event);
    promise.deliver(keep_own(records));
    return;
  }
  auto finish = [=, this](Parameters& settled) mutable {
    send_leave(event);
    shared_.name_parts(event);
    auto answer = answer_with(std::move(settled.values));
    answer.records = records;
    promise.deliver(std::move(answer));
  };
  const auto leave_alone = [=, this](const caf::error& error) mutable {
    send_leave(event);
    if (error == Error::superseded) // its parameters are not the run's
      promise.deliver(error);
    else // the worker keeps its own parameters
      promise.deliver(keep_own(records));
  };
  // The answer to a push may have the parameters before it, so pull the current ones.
  const auto take_shared = [=, this, worker = event.worker] {
    request_within(self_, holder_, deadline(), Pull{worker}).then(finish, leave_alone);
  };
  if (const auto own = shared_.gather(event);
      departure == Departure::pushes && pushes_.fragments() == 1)
    push_last(event.worker, own, finish, leave_alone);
  else if (departure == Departure::pushes
           || (departure == Departure::pushes_and_pulls && all_finite(own.view())))
    push_last(
      event.worker, own, [take_shared](Parameters&) { take_shared(); }, leave_alone);
  else
    take_shared();
}

caf::typed_response_promise<GateAnswer> ParameterSync::skip() {
  auto promise = self_->make_response_promise<GateAnswer>();
  promise.deliver(GateAnswer{});
  return promise;
}

void ParameterSync::send_leave(const LoopEvent& event) {
  if (membership_.leave(event))
    self_->send(holder_, Leave{event.worker, pushes_.incarnation()});
}

// -- pushes ---------------------------------------------------------------------------------------

namespace {

/// Whether the holder may have applied a push that was not answered.
bool may_be_applied(const caf::error& error) {
  return error == Error::unavailable || error == caf::sec::request_timeout;
}

} // namespace

void ParameterSync::push(WorkerId worker, const Block& own, bool last, const Answered& answered,
                         const Failed& failed) {
  if (pushes_.must_repeat())
    return push_again(
      worker, [=, this](Parameters&) { push(worker, own, last, answered, failed); }, answered,
      failed);
  auto push = pushes_.next(worker, own, last);
  const auto until = deadline(push);
  request_within(self_, holder_, until, Exchange{std::move(push)})
    .then(
      [=, this](Parameters& settled) {
        pushes_.answered(settled, last);
        answered(settled);
      },
      [=, this](const caf::error& error) {
        pushes_.unanswered(own, may_be_applied(error));
        failed(error);
      });
}

void ParameterSync::push_last(WorkerId worker, const Block& own, const Answered& answered,
                              const Failed& failed, std::size_t pushed) {
  push(
    worker, part_of(own, pushes_.fragment()), true,
    [=, this](Parameters& settled) {
      if (pushed + 1 == pushes_.fragments() || settled.rejoined)
        return answered(settled);
      pushes_.skip_turn();
      push_last(worker, own, answered, failed, pushed + 1);
    },
    failed);
}

void ParameterSync::push_again(WorkerId worker, const Answered& added, const Answered& refused,
                               const Failed& failed) {
  auto push = pushes_.repeated(worker);
  const auto until = deadline(push);
  request_within(self_, holder_, until, Exchange{std::move(push)})
    .then(
      [=, this](Parameters& settled) {
        const auto is_added = pushes_.repeated_answered(settled);
        (is_added ? added : refused)(settled);
      },
      [=, this](const caf::error& error) {
        pushes_.repeated_unanswered(may_be_applied(error));
        failed(error);
      });
}

// -- checkpoints ----------------------------------------------------------------------------------

SavedFields ParameterSync::state() const {
  SavedFields state;
  pushes_.save(state, membership_.is_saved());
  if (!membership_.is_saved())
    return state;
  membership_.save(state);
  put(state, "rest", std::max(0.0, next_push_at_ - now()));
  if (!unapplied_.empty())
    put(state, "behind", unapplied_);
  if (taken_ && !taken_->empty())
    put(state, "taken", *taken_);
  return state;
}

void ParameterSync::restore(const SavedFields& state) {
  pushes_.restore(state);
  membership_.restore(state);
  double rest = 0;
  take(state, "rest", rest);
  take(state, "behind", unapplied_);
  if (taken_)
    take(state, "taken", *taken_);
  next_push_at_ = now() + rest;
}

} // namespace troupe
