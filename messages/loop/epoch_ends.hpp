#pragma once

#include "base/types.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// What they are called in the log's status, as text.
inline constexpr const char* epoch_ends_status = "_epoch_ends";

/// After how many batches each epoch of a run has ended. Most epochs are equally long, so that
/// ends in equal distances are kept as one series, however many there are.
class EpochEnds {
public:
  /// Another epoch has ended. @pre not before the last one
  void add(Step batches);
  Epoch count() const;

  /// Epochs done after so many batches; a batch in the midst of an epoch counts as the part of
  /// `batches_per_epoch` that it is.
  double epochs_at(Step batches, double batches_per_epoch) const;

  /// The ends in their order: "10 15 25", and of a series as Slurm writes them, "10-90:10 95".
  std::string text() const;
  /// @returns nothing where the text is none.
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
