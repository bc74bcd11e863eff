// The environment of launched workers: docs/how-to/clusters.md describes it.
#pragma once

#include <map>
#include <string>

namespace troupe {

inline constexpr const char* launched_run = "TROUPE_RUN";       ///< folder of the whole run
inline constexpr const char* launched_config = "TROUPE_CONFIG"; ///< the configuration's file
inline constexpr const char* launched_job = "TROUPE_JOB_NAME";
inline constexpr const char* launched_holders = "TROUPE_HOLDERS"; ///< host:port,...
inline constexpr const char* launched_workers = "TROUPE_INSTANCES";
inline constexpr const char* launched_index = "TROUPE_INDEX"; ///< number of this worker, from 0
inline constexpr const char* launched_debug = "TROUPE_DEBUG"; ///< 1: more messages
inline constexpr const char* launched_walltime = "TROUPE_WALLTIME"; ///< "12:00:00"
inline constexpr const char* launched_end
  = "TROUPE_END_TIME"; ///< end of the walltime, in seconds since 1970
inline constexpr const char* launched_device = "TROUPE_DEVICE";

/// All environment variables.
std::map<std::string, std::string> environment_variables();

} // namespace troupe
