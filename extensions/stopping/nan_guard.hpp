// Ends training at a loss or gradient that is not finite, or rewinds to the last good parameters.
#pragma once

#include "base/text/enum_names.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <optional>

namespace troupe {

/// What to do at a loss or gradient that is not finite.
enum class NanGuardPolicy : std::uint8_t {
  stop,   ///< training ends normally
  rewind, ///< return to good parameters, with a smaller learning rate
};
constexpr auto enum_names(NanGuardPolicy) { return name_list("stop", "rewind"); }

struct NanGuardOptions {
  NanGuardPolicy policy = NanGuardPolicy::stop; ///< what a loss that is not finite does
  Step snapshot_every = 100;                    ///< batches between two snapshots, >= 1
  double factor = 0.5;    ///< factor of the learning rate at each rewind, in (0, 1]
  std::uint64_t most = 5; ///< largest number of rewinds in the run; one more ends training
  TROUPE_FIELDS(policy, snapshot_every, factor, most);
};

/// before_training, for the first snapshot, and after_batch.
Conditions nan_guard_conditions();

/// Parameters and the optimizer's state, which a gradient that is not finite also spoils, with the
/// number of steps for Adam's bias correction. Copies share the floats.
struct TrainerSnapshot {
  Step batch = 0; ///< batch after which it was taken
  Block parameters;
  std::vector<SavedSlot> slots;
  Step steps = 0; ///< number of steps in the slots
  TROUPE_FIELDS(batch, parameters, slots, steps);
};

/// Decides at each batch. The loss of a batch shows whether the parameters before its update were
/// good, so a snapshot is good once a later batch had a finite loss with it, even if that batch's
/// gradient was not finite. A batch without a loss, because all its targets are masked, decides
/// nothing. The trainer skips a batch whose gradient is not finite (NanPolicy::skip) and counts it.
/// A guard that is attached during training starts with its first batch.
class NanGuard {
public:
  NanGuard() = default;
  /// @throws std::invalid_argument for invalid options.
  explicit NanGuard(NanGuardOptions options);

  /// At the start of training.
  void begin(const LoopEvent& event);

  /// After a batch. @returns the answer to the trainer; an empty one if all is well.
  GateAnswer after_batch(const LoopEvent& event);

  std::uint64_t rewinds() const { return rewinds_; }

  /// For a checkpoint; the snapshots are in it.
  SavedFields state() const;
  void restore(const SavedFields& state);

private:
  GateAnswer not_finite(const LoopEvent& event);
  void take_snapshot(const LoopEvent& event);

  NanGuardOptions options_;
  std::uint64_t rewinds_ = 0;
  /// Number of skipped batches at the last batch; nothing: no batch yet.
  std::optional<std::uint64_t> skipped_;
  std::optional<std::uint64_t>
    with_loss_;    ///< number of batches with a loss at the last batch; nothing: no batch yet
  Step since_ = 0; ///< batches done at the last snapshot or rewind
  TrainerSnapshot good_, candidate_; ///< without parameters: none
};

/// @throws std::invalid_argument for invalid options.
void check(const NanGuardOptions& options);

/// A gate, subscribed with the optimizer (Shows::optimizer). The learner must not fail at such a
/// batch: use NanPolicy::skip, which also keeps it out of the running sums, or ignore. At a rewind
/// it records `nan_guard_rewinds` and prints a warning. It ends when no handle to it is left.
/// @throws std::invalid_argument for invalid options.
Extension spawn_nan_guard(caf::actor_system& system, const NanGuardOptions& options, Logger logger);

} // namespace troupe
