// Writes the time of day into the log, so that curves of workers that started at different times
// can be aligned.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

#include <functional>

namespace troupe {

struct TimestampOptions {
  std::string record = "timestamp"; ///< name of the ISO 8601 record
  std::string separator = " ";      ///< between date and time
  bool legion_records = false;      ///< Legion's names: `timestamp` is the float, no ISO text
  TROUPE_FIELDS(record, separator, legion_records);
};

/// before_training, after_epoch, on_error, on_interrupt, on_resumption, after_training.
Conditions timestamp_conditions();

/// The records of a time: `timestamp` (ISO 8601 local time with offset), `unix_time` (seconds since
/// 1970), `datestamp` (local YYYY-MM-DD HH:MM).
Records timestamp_records(double unix_time, const TimestampOptions& options);

/// An observer. It ends when no handle to it is left.
/// @param wall_clock seconds since 1970; default: the system's
Extension spawn_timestamp(caf::actor_system& system, TimestampOptions options, Logger logger,
                          std::function<double()> wall_clock = {});

} // namespace troupe
