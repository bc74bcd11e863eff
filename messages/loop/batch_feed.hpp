#pragma once

#include "messages/loop/batches_ahead.hpp"
#include "model/training/learner.hpp"

namespace troupe {

/// Feeds a learner with batches: has it read them itself, or gives it those that a loader has
/// prepared.
class BatchFeed {
public:
  /// @param ahead batches that a loader may prepare; 0: there is none
  explicit BatchFeed(Step ahead = 0) : has_loader_(ahead > 0), ahead_(ahead) {}

  bool has_loader() const { return has_loader_; }

  /// Training wants its next batch from now on.
  void begin(double now);
  /// @returns a batch for the loader to fill, of those from `wanted` on; nothing where it has
  /// enough to do.
  std::optional<ReadBatch> order(Step wanted) { return ahead_.ask(wanted); }
  /// A batch that was ordered has come from the loader,
  void arrived(ReadBatch batch) { ahead_.arrived(std::move(batch)); }
  /// or never will.
  void lost() { ahead_.lost(); }

  /// Gives the learner batch `wanted`. @returns false where the loader has not prepared it:
  /// training waits for it from then on. Throws what the problem throws.
  bool feed(Learner& learner, Step wanted);

  bool waits() const { return state_ != State::ready; }
  void stop_waiting() { state_ = State::ready; }
  /// Whether people are to be told now that training waits: once for a batch, after 2 s.
  bool is_report_due(double now);

private:
  enum class State : std::uint8_t { ready, waits, reported };

  bool has_loader_;
  BatchesAhead ahead_;
  State state_ = State::ready;
  double since_ = 0; ///< when training wanted the batch
};

} // namespace troupe
