#pragma once

#include "model/data/batch_reader.hpp"

#include <optional>
#include <vector>

namespace troupe {

/// Decides which batches a loader prepares for a trainer, and keeps those that are ready.
///
/// At most `ahead` batches are with the loader or ready at any time, those that follow the one that
/// is wanted next. A trainer that goes on elsewhere (Restore) just wants another one: what was
/// prepared in vain is dropped, its memory used again.
class BatchesAhead {
public:
  explicit BatchesAhead(Step ahead = 0) : ahead_(ahead) {}

  /// @param wanted cursor of the batch that will be trained on next
  /// @returns a batch for the loader, its cursor set; nothing while `ahead` are under way or ready.
  std::optional<ReadBatch> ask(Step wanted);

  /// One that was asked for has come from the loader,
  void arrived(ReadBatch batch);
  /// or never will.
  void lost() { --in_flight_; }

  /// @returns batch `wanted` where it is ready; from then on it counts no more.
  std::optional<ReadBatch> take(Step wanted);
  /// Memory for a batch to come.
  void give_back(ReadBatch batch) { spare_.push_back(std::move(batch)); }

private:
  void drop_all_but(Step begin, Step end);

  Step ahead_;
  Step next_ = 0;                ///< cursor that is asked for next
  Step wanted_ = 0;              ///< cursor that is trained on next
  Step in_flight_ = 0;           ///< batches with the loader
  std::vector<ReadBatch> ready_; ///< with cursors wanted_ .. next_ - 1, in any order
  std::vector<ReadBatch> spare_;
};

} // namespace troupe
