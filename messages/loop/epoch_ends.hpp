#pragma once

#include "base/types.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Their name in the log's status, as text.
inline constexpr const char* epoch_ends_status = "epoch_ends";

/// After how many batches each epoch of a run has ended. Most epochs have the same length, so ends
/// at equal distances are stored as one series, however many there are.
class EpochEnds {
public:
  /// Another epoch has ended. @pre not before the last one
  void add(Step batches);
  Epoch count() const;

  /// Epochs done after so many batches. A batch within an epoch adds its share of
  /// `batches_per_epoch`.
  double epochs_at(Step batches, double batches_per_epoch) const;

  /// The ends in order: "10 15 25"; a series is written as Slurm does: "10-90:10 95".
  std::string text() const;
  /// @returns nothing if the text is invalid.
  static std::optional<EpochEnds> from_text(std::string_view text);

  bool operator==(const EpochEnds&) const = default;

private:
  struct Series {
    Step first = 0, distance = 0;
    Epoch count = 1;
    Step last() const { return first + distance * (count - 1); }
    bool operator==(const Series&) const = default;
  };
  std::vector<Series> series_;
};

} // namespace troupe
