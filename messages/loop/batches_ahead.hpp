#pragma once

#include "model/data/batch_reader.hpp"

#include <optional>
#include <vector>

namespace troupe {

/// Decides which batches a loader prepares for a trainer, and keeps those that are ready.
///
/// At most `ahead` batches are in flight or ready at any time: those that follow the next one. A
/// trainer that continues elsewhere (Restore) asks for another batch; batches that are no longer
/// needed are dropped, and their memory reused.
class BatchesAhead {
public:
  explicit BatchesAhead(Step ahead = 0) : ahead_(ahead) {}

  /// @param wanted cursor of the batch to train on next
  /// @returns a batch for the loader, its cursor set; nothing while `ahead` are in flight or ready.
  std::optional<ReadBatch> ask(Step wanted);

  /// A batch has come from the loader.
  void arrived(ReadBatch batch);
  /// A batch will never come.
  void lost() { --in_flight_; }

  /// @returns batch `wanted` if it is ready; it no longer counts towards `ahead`.
  std::optional<ReadBatch> take(Step wanted);
  /// Memory for a future batch.
  void give_back(ReadBatch batch) { spare_.push_back(std::move(batch)); }

private:
  void drop_all_but(Step begin, Step end);

  Step ahead_;
  Step next_ = 0;                ///< cursor to ask for next
  Step wanted_ = 0;              ///< cursor to train on next
  Step in_flight_ = 0;           ///< batches with the loader
  std::vector<ReadBatch> ready_; ///< with cursors wanted_ .. next_ - 1, in any order
  std::vector<ReadBatch> spare_;
};

} // namespace troupe
