#include "extensions/sync/worker_pushes.hpp"

#include "extensions/support/saved_state.hpp"
#include "model/update_rules/apply_rule.hpp"

#include <utility>

namespace troupe {

WorkerPushes::WorkerPushes(const ParameterSyncOptions& options, bool last_apart,
                           FragmentCycle cycle)
  : options_(options),
    last_apart_(last_apart),
    cycle_(std::move(cycle)),
    kept_(cycle_.count()) {}

void WorkerPushes::begin(std::uint64_t incarnation) {
  incarnation_ = incarnation;
  number_ = 0;
  unanswered_ = Block{};
}

void WorkerPushes::take(Version version, const Block& shared) {
  version_ = version;
  if (sends_steps(options_.rule))
    kept().base = shared;
  cycle_.advance(version);
}

void WorkerPushes::take_all(Version version, const Block& shared) {
  version_ = version;
  if (sends_steps(options_.rule))
    for (std::size_t place = 0; place < kept_.size(); ++place)
      kept_[place].base = part_of(shared, cycle_[place]);
  cycle_.begin(version);
}

void WorkerPushes::begin_with(Version version, const Block& shared) {
  for (auto& one : kept_)
    one.received = Block{};
  take_all(version, shared);
}

Push WorkerPushes::push_of(WorkerId worker, const Block& own, bool last) const {
  Push push;
  push.id = {worker, incarnation_, number_};
  push.based_on = version_;
  push.rule = options_.rule;
  push.staleness = options_.staleness;
  push.last = last;
  push.fragment = fragment();
  push.values = contribution(push.rule, own, kept().base);
  // Otherwise it is empty or belongs to another model.
  if (kept().residual.size() == push.values.size())
    push.residual = kept().residual;
  if (kept().received.size() == push.values.size())
    push.received = kept().received;
  // Rounds sum in the same order each time and take a mean of all.
  const auto alone = sends_steps(push.rule) && last_apart_;
  if (last && (alone || !push.staleness.synchronous()))
    push.staleness = {};
  return push;
}

Push WorkerPushes::next(WorkerId worker, const Block& own, bool last) {
  ++number_;
  in_flight_ = true;
  return push_of(worker, own, last);
}

void WorkerPushes::answered(Parameters& answer, bool last) {
  in_flight_ = false;
  kept().received = Block{};
  if (last)
    kept().residual = Block{};
  else if (!answer.rejoined) // a refused push has sent nothing
    keep(answer);
}

void WorkerPushes::keep(Parameters& answer) {
  kept().residual = std::move(answer.residual);
  kept().received = kept().residual.empty() ? Block{} : answer.values;
}

// Other rules push the worker's current parameters, which the next push sends again.
void WorkerPushes::unanswered(const Block& own, bool may_be_added) {
  in_flight_ = false;
  if (sends_steps(options_.rule) && may_be_added)
    unanswered_ = own;
}

Push WorkerPushes::repeated(WorkerId worker) const { return push_of(worker, unanswered_, false); }

bool WorkerPushes::repeated_answered(Parameters& answer) {
  auto pushed = std::exchange(unanswered_, Block{});
  kept().received = Block{};
  if (answer.rejoined)
    return false;
  kept().base = std::move(pushed);
  keep(answer);
  return true;
}

void WorkerPushes::repeated_unanswered(bool may_be_added) {
  if (!may_be_added)
    unanswered_ = Block{};
}

/// The blocks of all fragments as one, with zeros for those that are empty; empty if all are.
Block WorkerPushes::whole(Block Kept::*part, bool without_sent) const {
  if (kept_.size() == 1)
    return without_sent && in_flight_ ? Block{} : kept_.front().*part;
  Block whole;
  for (std::size_t place = 0; place < kept_.size(); ++place) {
    const auto& block = kept_[place].*part;
    if (block.empty() || (without_sent && in_flight_ && place == cycle_.turn()))
      continue;
    if (whole.empty())
      whole = Block{cycle_.size()};
    replace_part(whole, cycle_[place], block);
  }
  return whole;
}

void WorkerPushes::set_whole(Block Kept::*part, const Block& whole) {
  for (std::size_t place = 0; place < kept_.size(); ++place)
    if (!whole.empty() && cycle_[place].lies_in(whole.size()))
      kept_[place].*part = part_of(whole, cycle_[place]);
}

// As whole blocks, so that a run can continue with another number of fragments.
void WorkerPushes::save(SavedFields& state, bool with_holder) const {
  const auto save = [&](const std::string& name, const Block& block) {
    if (!block.empty())
      put(state, name, block);
  };
  save("residual", whole(&Kept::residual, true)); // what was sent may have arrived
  if (!with_holder)
    return;
  put(state, "version", version_);
  if (kept_.size() > 1)
    put(state, "turn", cycle_.turn());
  save("base", whole(&Kept::base, false));
  if (kept_.size() == 1)
    return save("received", kept_.front().received);
  for (std::size_t place = 0; place < kept_.size(); ++place) // an empty one has a meaning
    save("received." + std::to_string(place), kept_[place].received);
}

void WorkerPushes::restore(const SavedFields& state) {
  troupe::take(state, "version", version_);
  auto turn = cycle_.turn();
  troupe::take(state, "turn", turn);
  cycle_.restore(turn);
  Block residual, base;
  troupe::take(state, "residual", residual);
  troupe::take(state, "base", base);
  kept_.assign(kept_.size(), {});
  set_whole(&Kept::residual, residual);
  set_whole(&Kept::base, base);
  for (std::size_t place = 0; place < kept_.size(); ++place)
    troupe::take(state, kept_.size() == 1 ? "received" : "received." + std::to_string(place),
                 kept_[place].received);
}

} // namespace troupe
