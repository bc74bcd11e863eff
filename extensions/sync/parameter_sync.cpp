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
    shared_(options, std::move(layout)),
    pushes_(options, fate == HolderFate::outlives_run),
    membership_(options.rule, fate) {}

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
  const auto begin = now();
  const auto seconds = event.position.seconds;
  const auto batches = event.position.batches;
  const auto own = shared_.gather(event);
  const auto keeps_own = traits_of(options_.rule).elastic;
  const auto answered = [=, this, done = std::move(done),
                         kept = keeps_own ? own : Block{}](Parameters& settled) mutable {
    membership_.synced(batches);
    next_push_at_ = now() + settled.not_before;
    const auto staleness = settled.staleness;
    const auto at_holder = settled.at_holder;
    const auto refused = settled.rejoined;
    auto values = settled.rejoined ? std::move(settled.values)
                                   : adopted(options_.rule, kept, std::move(settled.values));
    pushes_.take(settled.version, values);
    auto answer = answer_with(std::move(values));
    const auto end = now();
    done(begin, end);
    answer.spent = parts_of_wait(at_holder, end - begin);
    answer.spans = spans_of_wait(at_holder, begin, end);
    if (options_.timing_log) {
      answer.records = timing(seconds, end - begin, staleness);
      if (refused)
        answer.records["param_sync_number"] = Value{std::int64_t{0}};
    }
    promise.deliver(std::move(answer));
  };
  push(event.worker, own, false, answered, [=, this](const caf::error& error) mutable {
    if (error == Error::unavailable) // the remote holder has already reported it
      promise.deliver(GateAnswer{});
    else if (error == Error::not_created) // a new holder without the old one's parameters
      create_again(event.worker, own, promise);
    else
      promise.deliver(refusal("Exchange", error));
  });
  return promise;
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
                                                             Records records) {
  auto promise = self_->make_response_promise<GateAnswer>();
  const auto departure = membership_.departure(event);
  if (departure == Departure::stays || departure == Departure::leaves) {
    if (departure == Departure::leaves)
      send_leave(event);
    promise.deliver(keep_own(records));
    return promise;
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
  if (const auto own = shared_.gather(event); departure == Departure::pushes)
    push(event.worker, own, true, finish, leave_alone);
  else if (departure == Departure::pushes_and_pulls && all_finite(own.view()))
    push(
      event.worker, own, true, [take_shared](Parameters&) { take_shared(); }, leave_alone);
  else
    take_shared();
  return promise;
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
