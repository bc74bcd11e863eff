#pragma once

#include "messages/loop/loop_event.hpp"
#include "messages/loop/saved_fields.hpp"
#include "model/update_rules/update_rule_kind.hpp"

#include <optional>

namespace troupe {

/// What happens to a holder when the run ends early.
enum class HolderFate : std::uint8_t {
  outlives_run,   ///< it belongs to a cluster, where other workers continue
  saved_with_run, ///< it is saved, and a resumed worker finds it unchanged
};

/// What a worker does at a callback that may be its last.
enum class Departure : std::uint8_t {
  stays,            ///< nothing
  leaves,           ///< keeps its own parameters
  pushes,           ///< pushes what has changed, and takes what the push is answered with
  pushes_and_pulls, ///< the answer may be without the push
  pulls,            ///< takes the shared parameters as they are
};

/// Where a worker stands with the holder that it shares parameters with.
///
/// With a rule that shares gradients the shared parameters are those before the round's update, so
/// a worker that leaves keeps its own, which are newer.
///
/// A worker whose holder is saved with the run keeps its own parameters when it joins again: it and
/// the holder were saved together, and its progress since the last sync is its own. For the same
/// reason an interrupted worker keeps them when it leaves.
class SyncMembership {
public:
  /// @param whole each sync exchanges all parameters as they are then
  SyncMembership(const UpdateRule& rule, HolderFate fate, bool whole = true)
    : rule_(rule),
      fate_(fate),
      whole_(whole) {}

  /// The holder has admitted the worker.
  /// @param created whether there are shared parameters
  /// @returns whether the worker keeps its own parameters
  bool join(bool created);
  void synced(Step batches) { synced_at_ = batches; }

  Departure departure(const LoopEvent& event) const;
  /// @returns whether the holder is to be told
  bool leave(const LoopEvent& event);

  /// Whether a state holds what the worker has of the holder.
  bool is_saved() const;
  void save(SavedFields& state) const;
  void restore(const SavedFields& state);

private:
  enum class Stage : std::uint8_t {
    outside,
    restored, ///< it was a member when its state was saved
    member,
    left,
    left_with_own, ///< its result is not in the shared parameters
  };

  bool has_newer(const LoopEvent& event) const;

  UpdateRule rule_;
  HolderFate fate_;
  bool whole_;
  Stage stage_ = Stage::outside;
  std::optional<Step> synced_at_; ///< batches done at the last sync since joining
};

} // namespace troupe
