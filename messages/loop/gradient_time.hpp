#pragma once

#include <cstdint>
#include <optional>

namespace troupe {

/// The seconds of training that went to gradients rather than to updates, estimated.
///
/// Reading the clock between the two would cost a small batch a tenth of its time. So it is read in
/// all of the first `group` batches, and afterwards in one of each group; the others are divided
/// like these. Which one differs from group to group, so that it isn't always the same one of a
/// problem whose batches recur. The choice depends on nothing but the number of batches.
class GradientTime {
public:
  static constexpr std::uint32_t group = 16; ///< batches

  /// Whether the clock is to be read between gradient and update of the next batch.
  bool splits_next() const { return batches_ < group || batches_ % group == place_; }

  /// Counts a batch.
  /// @param gradient unset: `rest` includes it
  /// @param rest of the seconds of training: the update
  void count(std::optional<double> gradient, double rest);

  double seconds() const;

private:
  std::uint64_t batches_ = 0;
  std::uint64_t place_ = 0;                    ///< of the batch to split, in its group
  double known_ = 0;                           ///< of the batches that were split
  double whole_ = 0;                           ///< of all others, with their updates
  double sample_ = 0, sample_of_gradient_ = 0; ///< of the chosen batches, which the others are like
};

} // namespace troupe
