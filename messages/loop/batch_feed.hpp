#pragma once

#include "messages/loop/batches_ahead.hpp"
#include "model/training/learner.hpp"

namespace troupe {

/// Gives a learner its batches: lets it read them itself, or passes on those that a loader has
/// prepared.
class BatchFeed {
public:
  /// @param ahead batches that a loader may prepare; 0: no loader
  explicit BatchFeed(Step ahead = 0) : has_loader_(ahead > 0), ahead_(ahead) {}

  bool has_loader() const { return has_loader_; }

  /// From now on training wants its next batch.
  void begin(double now);
  /// @returns a batch for the loader to fill, the first one not ordered yet from `wanted` on;
  /// nothing if the loader has enough to do.
  std::optional<ReadBatch> order(Step wanted) { return ahead_.ask(wanted); }
  /// An ordered batch has arrived from the loader,
  void arrived(ReadBatch batch) { ahead_.arrived(std::move(batch)); }
  /// or never will.
  void lost() { ahead_.lost(); }

  /// Gives the learner batch `wanted`. @returns false if the loader has not prepared it; training
  /// waits for it from then on. Throws what the problem throws.
  bool feed(Learner& learner, Step wanted);

  bool waits() const { return state_ != State::ready; }
  void stop_waiting() { state_ = State::ready; }
  /// Whether to report now that training waits: once for each batch, after 2 s.
  bool is_report_due(double now);

private:
  enum class State : std::uint8_t { ready, waits, reported };

  bool has_loader_;
  BatchesAhead ahead_;
  State state_ = State::ready;
  double since_ = 0; ///< when training began to want the batch
};

} // namespace troupe
