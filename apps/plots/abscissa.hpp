// The position of a log's row on the x axis of a chart.
#pragma once

#include "apps/folder/run_log.hpp"
#include "base/text/enum_names.hpp"
#include "messages/loop/epoch_ends.hpp"

#include <string>
#include <string_view>

namespace troupe {

/// What the x axis shows. `time`: seconds of the wall clock since the first row of all logs.
enum class Against : std::uint8_t { batches, epochs, examples, seconds, time };
constexpr auto enum_names(Against) {
  return name_list("batches", "epochs", "examples", "seconds", "time");
}

/// The label of the axis.
std::string axis_label(Against against);

/// Seconds since 1970 of "2026-01-31T12:00:00.000Z"; NaN for other texts.
double unix_time_of(const std::string& time);

/// What a row's position on any axis follows from.
struct RowPosition {
  double seconds = 0; ///< of training
  double time = 0;    ///< since 1970
  Step batch = 0;
  Epoch epoch = 0;
};

/// Computes the positions of one worker's rows.
class Abscissa {
public:
  /// @param status of the worker, with the length of an epoch, the ends of epochs and the number of
  /// examples
  /// @param log its name, for messages
  /// @param first_time of all rows, in seconds since 1970
  /// @throws UsageError if the log does not have the number of examples.
  Abscissa(Against against, const Records& status, const std::string& log, double first_time);

  /// The position; not finite if the row has none.
  double of(const RowPosition& row) const;

private:
  Against against_;
  double first_time_;
  double scale_; ///< units per batch
  EpochEnds epoch_ends_;
};

} // namespace troupe
