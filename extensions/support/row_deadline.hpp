#pragma once

namespace troupe {

/// Seconds for which a row's records are waited for: a validation that is announced may wait for
/// its turn for as long as it may then take (StreamMonitoringOptions::deadline), and a minute.
inline constexpr double row_deadline = 2 * 600 + 60;

} // namespace troupe
