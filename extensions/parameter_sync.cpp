#include "troupe/extensions/parameter_sync.hpp"

#include "troupe/extensions/saved_state.hpp"
#include "troupe/messages/duration.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/type_ids.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace troupe {

ParameterSync::ParameterSync(Extension::pointer self, ParameterSyncOptions options,
                             ParameterHolder holder, Layout layout, HolderFate fate)
  : self_(self),
    options_(options),
    holder_(std::move(holder)),
    layout_(std::move(layout)),
    fate_(fate) {}

double ParameterSync::now() const {
  return std::chrono::duration<double>(self_->clock().now().time_since_epoch()).count();
}

caf::duration ParameterSync::deadline() const {
  return caf::duration{timespan_of(options_.deadline)};
}

// Others may be at a long validation, and it is not the holder that is slow then. Whom it waits for
// the holder tells; leases end the waiting for those who are lost, and whoever stands for a holder
// far away finds out when that is gone.
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

// -- what is shared -------------------------------------------------------------------------------

Layout shared_layout(const Layout& model, const std::vector<std::string>& parts) {
  auto layout = model;
  for (const auto& part : parts)
    for (const auto& parameter : model.parameters())
      layout.add(parameter.name + "_" + part, parameter.shape);
  return layout;
}

std::vector<std::string> parts_behind(const ParameterSyncOptions& options,
                                      const std::vector<std::string>& slots) {
  auto parts = options.optimizer_state ? slots : std::vector<std::string>{};
  if (options.rule == Rule::gradient_average)
    parts.push_back("gradient");
  return parts;
}

Shows shown_to(const ParameterSyncOptions& options) {
  if (options.rule == Rule::gradient_average)
    return options.optimizer_state ? Shows::update : Shows::gradients;
  return options.optimizer_state ? Shows::optimizer : Shows::parameters;
}

Block ParameterSync::shared_part(const LoopEvent& event) {
  std::vector<std::string> slots;
  for (const auto& slot : event.optimizer_slots)
    slots.push_back(slot.name);
  parts_ = parts_behind(options_, slots);
  const auto averages = options_.rule == Rule::gradient_average;
  if (parts_.empty() || (averages && event.gradient.empty())) // the holder refuses the latter
    return event.parameters.values;
  const auto size = layout_.size();
  auto block = Block::uninitialized(size * static_cast<Index>(1 + parts_.size()));
  auto out = block.edit().begin();
  out = std::copy_n(event.parameters.values.view().begin(), size, out);
  if (options_.optimizer_state)
    for (const auto& slot : event.optimizer_slots)
      out = std::copy_n(slot.values.view().begin(), size, out);
  if (averages)
    std::copy_n(event.gradient.view().begin(), size, out);
  return block;
}

GateAnswer ParameterSync::answer_with(Block shared) {
  GateAnswer answer;
  const auto size = static_cast<std::size_t>(layout_.size());
  const auto whole = shared.size() == layout_.size();
  answer.parameters = whole ? shared : Block::copy_of(shared.view().first(size));
  if (keeps_taken_)
    taken_ = answer.parameters;
  if (whole)
    return answer;
  auto slots = parts_.size();
  if (options_.rule == Rule::gradient_average)
    answer.gradient = Block::copy_of(shared.view().subspan(slots-- * size, size));
  for (std::size_t slot = 0; slot < slots; ++slot)
    answer.optimizer_slots.push_back(
      {parts_[slot], Block::copy_of(shared.view().subspan((slot + 1) * size, size))});
  return answer;
}

namespace {

/// The worker keeps its parameters.
GateAnswer keeping(const Records& records) {
  GateAnswer answer;
  answer.records = records;
  return answer;
}

} // namespace

// -- the protocol ---------------------------------------------------------------------------------

caf::typed_response_promise<GateAnswer> ParameterSync::join(const LoopEvent& event) {
  auto promise = self_->make_response_promise<GateAnswer>();
  const auto worker = event.worker;
  const auto values = shared_part(event);
  Join join;
  join.worker = worker;
  join.layout = shared_layout(layout_, parts_); // shared_part has named them
  self_->request(holder_, deadline(), join)
    .then(
      [=, this](const Joined& joined) mutable {
        incarnation_ = joined.incarnation;
        number_ = 0;
        joined_ = true;
        if (std::exchange(goes_on_, false) && joined.created) {
          promise.deliver(GateAnswer{});
          return;
        }
        // The main worker may still load a model, or be started later: the holder tells of it, and
        // waits no longer than for the first round.
        self_->request(holder_, caf::infinite, CreateIfAbsent{worker, values, true})
          .then(
            [=, this](const Parameters& settled) mutable {
              version_ = settled.version;
              if (options_.rule == Rule::downpour)
                base_ = settled.values;
              auto answer = answer_with(settled.values);
              answer.gradient = {}; // there is no update to be made yet
              if (options_.rule == Rule::gradient_average && settled.version > 0)
                behind_ = settled.values;
              promise.deliver(std::move(answer));
            },
            [=, this](const caf::error& error) mutable {
              promise.deliver(refusal("CreateIfAbsent", error));
            });
      },
      [=, this](const caf::error& error) mutable { promise.deliver(refusal("Join", error)); });
  return promise;
}

Push ParameterSync::next_push(const LoopEvent& event, const Block& own) {
  Push push;
  push.id = {event.worker, incarnation_, ++number_};
  push.based_on = version_;
  push.rule = options_.update_rule();
  push.staleness = options_.staleness;
  push.values = contribution(push.rule, own, base_);
  if (residual_.size() == push.values.size()) // else of another model, or nothing
    push.residual = residual_;
  return push;
}

caf::typed_response_promise<GateAnswer>
ParameterSync::exchange(const LoopEvent& event, std::function<void(double, double)> done) {
  auto promise = self_->make_response_promise<GateAnswer>();
  if (auto defect = defect_of_moment(options_.rule, event.callback); !defect.empty()) {
    promise.deliver(fail(Error::invalid_options, defect));
    return promise;
  }
  if (!behind_.empty()) {
    promise.deliver(answer_with(std::exchange(behind_, Block{})));
    return promise;
  }
  const auto begin = now();
  const auto seconds = event.position.seconds;
  const auto own = shared_part(event);
  auto push = next_push(event, own);
  const auto keeps_own = options_.rule == Rule::easgd;
  const auto until = deadline(push);
  self_->request(holder_, until, Exchange{std::move(push)})
    .then(
      [=, this, done = std::move(done),
       kept = keeps_own ? own : Block{}](Parameters& settled) mutable {
        version_ = settled.version;
        rests_until_ = now() + settled.not_before;
        if (!settled.rejoined) // a push that was refused has sent nothing
          residual_ = std::move(settled.residual);
        const auto staleness = settled.staleness;
        auto values = settled.rejoined
                        ? std::move(settled.values)
                        : adopted(options_.update_rule(), kept, std::move(settled.values));
        if (options_.rule == Rule::downpour)
          base_ = values;
        auto answer = answer_with(std::move(values));
        const auto end = now();
        done(begin, end);
        if (options_.timing_log)
          answer.records
            = {{"param_sync_start", Value{seconds}},
               {"param_sync_end", Value{seconds + (end - begin)}},
               {"param_sync_duration", Value{end - begin}},
               {"param_sync_version", Value{static_cast<std::int64_t>(version_)}},
               {"param_sync_incarnation", Value{static_cast<std::int64_t>(incarnation_)}},
               {"param_sync_number", Value{static_cast<std::int64_t>(number_)}},
               {"param_sync_staleness", Value{static_cast<std::int64_t>(staleness)}}};
        promise.deliver(std::move(answer));
      },
      [=, this](const caf::error& error) mutable {
        if (error == Error::unavailable) // whoever stands for the holder has told people
          promise.deliver(GateAnswer{});
        else if (error == Error::not_created) // a new holder, which has lost what the old one had
          create_again(event.worker, own, promise);
        else
          promise.deliver(refusal("Exchange", error));
      });
  return promise;
}

void ParameterSync::create_again(WorkerId worker, const Block& own,
                                 caf::typed_response_promise<GateAnswer> promise) {
  self_->request(holder_, deadline(), CreateIfAbsent{worker, own})
    .then(
      [=, this](Parameters& settled) mutable {
        version_ = settled.version;
        if (options_.rule == Rule::downpour)
          base_ = settled.values;
        promise.deliver(answer_with(std::move(settled.values)));
      },
      [promise](const caf::error&) mutable { promise.deliver(GateAnswer{}); });
}

caf::typed_response_promise<GateAnswer> ParameterSync::leave(const LoopEvent& event,
                                                             Records records) {
  auto promise = self_->make_response_promise<GateAnswer>();
  const auto newer = options_.rule == Rule::gradient_average;
  if (event.callback == Callback::on_interrupt) {
    if (fate_ == HolderFate::saved_with_run) {
      kept_own_ = joined_;
      go(event.worker);
    }
    promise.deliver(keeping(records));
    return promise;
  }
  if (!joined_ || newer || event.callback == Callback::on_error) {
    kept_own_ = kept_own_ || (joined_ && newer);
    go(event.worker);
    promise.deliver(keeping(records));
    return promise;
  }
  auto finish = [=, this](Parameters& settled) mutable {
    go(event.worker);
    shared_part(event); // the names of its parts
    auto answer = answer_with(std::move(settled.values));
    answer.records = records;
    promise.deliver(std::move(answer));
  };
  const auto alone = [=, this](const caf::error&) mutable { // it has been told, and keeps its own
    go(event.worker);
    promise.deliver(keeping(records));
  };
  if (options_.rule != Rule::downpour) {
    self_->request(holder_, deadline(), Pull{event.worker}).then(finish, alone);
    return promise;
  }
  auto push = next_push(event, shared_part(event));
  push.last = true;
  // In rounds, so that the sum has the same order each time; in a cluster others may be at work for
  // long.
  if (fate_ != HolderFate::saved_with_run || !push.staleness.synchronous())
    push.staleness = {};
  const auto until = deadline(push);
  self_->request(holder_, until, Exchange{std::move(push)})
    .then(
      [=, this](Parameters& settled) mutable {
        residual_ = Block{};
        finish(settled);
      },
      alone);
  return promise;
}

caf::typed_response_promise<GateAnswer> ParameterSync::pass() {
  auto promise = self_->make_response_promise<GateAnswer>();
  promise.deliver(GateAnswer{});
  return promise;
}

Records ParameterSync::state() const {
  Records state;
  if (!residual_.empty())
    put(state, "residual", residual_);
  if (fate_ != HolderFate::saved_with_run || (!joined_ && !kept_own_))
    return state;
  put(state, "joined", true);
  put(state, "version", version_);
  put(state, "rest", std::max(0.0, rests_until_ - now()));
  for (const auto& [name, block] :
       {std::pair{"base", &base_}, {"behind", &behind_}, {"taken", &taken_}})
    if (!block->empty())
      put(state, name, *block);
  return state;
}

void ParameterSync::restore(const Records& state) {
  residual_ = Block{};
  take(state, "residual", residual_);
  double rest = 0;
  take(state, "joined", goes_on_);
  take(state, "version", version_);
  take(state, "rest", rest);
  take(state, "base", base_);
  take(state, "behind", behind_);
  take(state, "taken", taken_);
  rests_until_ = now() + rest;
}

void ParameterSync::go(WorkerId worker) {
  const auto never_came = incarnation_ == 0 && fate_ == HolderFate::saved_with_run;
  if (joined_ || never_came) // rounds wait for the latter, too
    self_->send(holder_, Leave{worker, incarnation_});
  joined_ = false;
}

std::string defect_of_moment(Rule rule, Callback callback) {
  const auto before_update = callback == Callback::before_update;
  if (rule == Rule::gradient_average && !before_update)
    return "the rule gradient_average acts on the gradient before each update, and is asked at "
           + to_string(callback) + "; give it the one trigger `before_update: true`";
  if (rule != Rule::gradient_average && before_update)
    return "the rule " + to_string(rule)
           + " shares parameters, and at before_update a step from the old ones is under way; give "
             "it another trigger, like `every_n_batches: 1`, or the rule gradient_average";
  return "";
}

void check(const ParameterSyncOptions& options) {
  if (auto defect = defect_of(options.update_rule()); !defect.empty())
    throw std::invalid_argument(defect);
  if (options.rule == Rule::gradient_average && !options.staleness.synchronous())
    throw std::invalid_argument(
      "the rule gradient_average takes the mean of one round, and staleness "
      + to_string(options.staleness)
      + " has no rounds; give it `staleness: 0`, or the rule downpour");
  if (!(options.deadline > 0))
    throw std::invalid_argument("the deadline for the parameter holder is "
                                + std::to_string(options.deadline) + " s; give a positive time");
}

} // namespace troupe
