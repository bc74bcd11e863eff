#pragma once

namespace troupe {

/// Seconds to wait for a row's records. An announced validation may be queued for as long as it may
/// then take (StreamMonitoringOptions::deadline); one minute more.
inline constexpr double row_deadline = 2 * 600 + 60;

} // namespace troupe
