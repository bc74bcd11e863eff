// Where a row of a log stands on the x axis of a chart.
#pragma once

#include "apps/folder/run_log.hpp"
#include "messages/loop/epoch_ends.hpp"

#include <string>
#include <string_view>

namespace troupe {

/// What the x axis shows. `time`: seconds of the wall clock since the first row of all logs.
enum class Against : std::uint8_t { batches, epochs, examples, seconds, time };

/// @returns false where `text` is none of the words above.
bool from_text(std::string_view text, Against& against);
std::string to_string(Against against);

/// What stands at the axis.
std::string axis_label(Against against);

/// Seconds since 1970 of "2026-01-31T12:00:00.000Z"; NaN for other texts.
double unix_time_of(const std::string& time);

/// Places the rows of one worker.
class Abscissa {
public:
  /// @param status of the worker, which knows how long an epoch is, where epochs have ended, and
  /// how many examples there were
  /// @param log its name, for a sentence
  /// @param first_time of all rows, seconds since 1970
  /// @throws UsageError where the log cannot say how many examples it has seen.
  Abscissa(Against against, const Records& status, const std::string& log, double first_time);

  /// Not finite where the row has no place.
  double of(const LoggedRow& row) const;

private:
  Against against_;
  double first_time_;
  double scale_; ///< of a batch
  EpochEnds epoch_ends_;
};

} // namespace troupe
