#include "extensions/sync/worker_pushes.hpp"

#include "extensions/support/saved_state.hpp"
#include "model/update_rules/apply_rule.hpp"

#include <utility>

namespace troupe {

WorkerPushes::WorkerPushes(const ParameterSyncOptions& options, bool last_apart)
  : options_(options),
    last_apart_(last_apart) {}

void WorkerPushes::begin(std::uint64_t incarnation) {
  incarnation_ = incarnation;
  number_ = 0;
  unanswered_ = Block{};
}

void WorkerPushes::take(Version version, const Block& shared) {
  version_ = version;
  if (sends_steps(options_.rule))
    base_ = shared;
}

void WorkerPushes::begin_with(Version version, const Block& shared) {
  received_ = Block{};
  take(version, shared);
}

Push WorkerPushes::push_of(WorkerId worker, const Block& own, bool last) const {
  Push push;
  push.id = {worker, incarnation_, number_};
  push.based_on = version_;
  push.rule = options_.rule;
  push.staleness = options_.staleness;
  push.last = last;
  push.values = contribution(push.rule, own, base_);
  if (residual_.size() == push.values.size()) // otherwise it is empty or belongs to another model
    push.residual = residual_;
  if (received_.size() == push.values.size())
    push.received = received_;
  // Rounds sum in the same order each time and take a mean of all.
  const auto alone = sends_steps(push.rule) && last_apart_;
  if (last && (alone || !push.staleness.synchronous()))
    push.staleness = {};
  return push;
}

Push WorkerPushes::next(WorkerId worker, const Block& own, bool last) {
  ++number_;
  return push_of(worker, own, last);
}

void WorkerPushes::answered(Parameters& answer, bool last) {
  received_ = Block{};
  if (last)
    residual_ = Block{};
  else if (!answer.rejoined) // a refused push has sent nothing
    keep(answer);
}

void WorkerPushes::keep(Parameters& answer) {
  residual_ = std::move(answer.residual);
  received_ = residual_.empty() ? Block{} : answer.values;
}

// Other rules push the worker's current parameters, which the next push sends again.
void WorkerPushes::unanswered(const Block& own, bool may_be_added) {
  if (sends_steps(options_.rule) && may_be_added)
    unanswered_ = own;
}

Push WorkerPushes::repeated(WorkerId worker) const { return push_of(worker, unanswered_, false); }

bool WorkerPushes::repeated_answered(Parameters& answer) {
  auto pushed = std::exchange(unanswered_, Block{});
  received_ = Block{};
  if (answer.rejoined)
    return false;
  base_ = std::move(pushed);
  keep(answer);
  return true;
}

void WorkerPushes::repeated_unanswered(bool may_be_added) {
  if (!may_be_added)
    unanswered_ = Block{};
}

void WorkerPushes::save(SavedFields& state, bool with_holder) const {
  if (!residual_.empty())
    put(state, "residual", residual_);
  if (!with_holder)
    return;
  put(state, "version", version_);
  if (!base_.empty())
    put(state, "base", base_);
  if (!received_.empty())
    put(state, "received", received_);
}

void WorkerPushes::restore(const SavedFields& state) {
  residual_ = received_ = Block{};
  troupe::take(state, "residual", residual_);
  troupe::take(state, "version", version_);
  troupe::take(state, "base", base_);
  troupe::take(state, "received", received_);
}

} // namespace troupe
