// Ends training at a loss or gradient that is not finite, or goes back to the last parameters that
// were good.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <optional>

namespace troupe {

/// What to do at a loss or gradient that is not finite.
enum class NanGuardPolicy : std::uint8_t {
  stop,   ///< training ends in good order
  rewind, ///< go back, with a smaller learning rate
};

std::string to_string(NanGuardPolicy policy);
bool from_text(std::string_view text, NanGuardPolicy& policy); ///< false for an unknown word

struct NanGuardOptions {
  NanGuardPolicy policy = NanGuardPolicy::stop;
  Step snapshot_every = 100; ///< batches from one snapshot to the next, >= 1
  double factor = 0.5;       ///< of the learning rate at each rewind, in (0, 1]
  std::uint64_t most = 5;    ///< rewinds, over the whole run; at one more training ends
  FIELDS(policy, snapshot_every, factor, most);
};

/// before_training, for the first snapshot, and after_batch.
Conditions nan_guard_conditions();

/// Parameters and the optimizer's running quantities, which a gradient that is not finite spoils
/// too, with their count of steps, by which Adam corrects their bias. Copies share the floats.
struct TrainerSnapshot {
  Step batch = 0; ///< after which it was taken
  Block parameters;
  std::vector<SavedSlot> slots;
  Step steps = 0; ///< that made the slots
  FIELDS(batch, parameters, slots, steps);
};

/// Decides at each batch. The loss of a batch tells whether the parameters before its update were
/// good, so a snapshot counts once a later batch had a finite loss with them, even where its
/// gradient was not finite. A batch without a loss, since all its targets are masked, decides
/// nothing. Of the gradient it learns from the trainer, which skips such a batch (NanPolicy::skip);
/// one that comes in the middle of training begins with its first batch.
class NanGuard {
public:
  NanGuard() = default;
  /// @throws std::invalid_argument for invalid options.
  explicit NanGuard(NanGuardOptions options);

  /// Where training begins.
  void begin(const LoopEvent& event);

  /// After a batch. @returns what training shall do; an empty answer where all is well.
  GateAnswer after_batch(const LoopEvent& event);

  std::uint64_t rewinds() const { return rewinds_; }

  /// For a checkpoint. The snapshots are in it, as the bytes of their floats.
  Records state() const;
  void restore(const Records& state);

private:
  GateAnswer not_finite(const LoopEvent& event);
  void take_snapshot(const LoopEvent& event);

  NanGuardOptions options_;
  std::uint64_t rewinds_ = 0;
  /// Batches that the trainer had skipped at the last one; nothing: it has seen none yet.
  std::optional<std::uint64_t> skipped_;
  std::optional<std::uint64_t> with_loss_; ///< batches that had a loss at the last one; the same
  Step since_ = 0;                         ///< batches done at the last snapshot, or rewind
  TrainerSnapshot good_, candidate_;       ///< without parameters: none
};

/// @throws std::invalid_argument for invalid options.
void check(const NanGuardOptions& options);

/// A gate, subscribed with the optimizer (Shows::optimizer). The learner must not fail at such a
/// batch itself: NanPolicy::skip, which also keeps it out of the running sums, or ignore. It
/// records `nan_guard_rewinds` where it goes back, and says so. It ends when no handle to it is
/// left.
/// @throws std::invalid_argument for invalid options.
Extension spawn_nan_guard(caf::actor_system& system, const NanGuardOptions& options, Logger logger);

} // namespace troupe
