#include "extensions/sync/sync_membership.hpp"

#include "extensions/support/saved_state.hpp"
#include "extensions/sync/parameter_sync_options.hpp"

#include <utility>

namespace troupe {

bool SyncMembership::join(bool created) {
  if (std::exchange(stage_, Stage::member) == Stage::restored && created)
    return true;
  synced_at_.reset();
  return false;
}

/// Whether a worker that ends has more in its own parameters than the shared ones have.
bool SyncMembership::has_newer(const LoopEvent& event) const {
  if (shares_gradients(rule_))
    return true;
  return !sends_steps(rule_) && !synced_at_ && event.position.batches > 0;
}

Departure SyncMembership::departure(const LoopEvent& event) const {
  if (event.callback == Callback::on_interrupt)
    return fate_ == HolderFate::saved_with_run ? Departure::leaves : Departure::stays;
  if (stage_ != Stage::member || has_newer(event) || event.callback == Callback::on_error)
    return Departure::leaves;
  if (sends_steps(rule_))
    return Departure::pushes;
  const auto synced_now = whole_ && synced_at_ == event.position.batches;
  return synced_at_ && !synced_now ? Departure::pushes_and_pulls : Departure::pulls;
}

bool SyncMembership::leave(const LoopEvent& event) {
  if (stage_ == Stage::member) {
    const auto keeps_own = event.callback == Callback::on_interrupt || has_newer(event);
    stage_ = keeps_own ? Stage::left_with_own : Stage::left;
    return true;
  }
  // Rounds also wait for a worker that has not joined.
  return fate_ == HolderFate::saved_with_run
         && (stage_ == Stage::outside || stage_ == Stage::restored);
}

bool SyncMembership::is_saved() const {
  return fate_ == HolderFate::saved_with_run && stage_ != Stage::outside && stage_ != Stage::left;
}

void SyncMembership::save(SavedFields& state) const {
  put(state, "joined", true);
  if (synced_at_)
    put(state, "exchanged_at", *synced_at_);
}

void SyncMembership::restore(const SavedFields& state) {
  auto joined = false;
  take(state, "joined", joined);
  if (joined)
    stage_ = Stage::restored;
  synced_at_.reset();
  if (state.contains("exchanged_at"))
    take(state, "exchanged_at", synced_at_.emplace());
}

} // namespace troupe
