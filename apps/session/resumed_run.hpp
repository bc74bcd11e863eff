// The saved run that a training resumes.
#pragma once

#include "apps/run_config/run_config.hpp"
#include "apps/session/cluster_member.hpp"
#include "messages/checkpoint/found_run.hpp"

#include <optional>
#include <string>

namespace troupe {

/// The folder of the run to resume, before it is read; "" if it does not exist.
/// @param wanted, given as in run_to_resume
std::filesystem::path folder_to_resume(const std::string& wanted, const std::string& given);

/// @param wanted the last run ("latest"), a run's folder or one of its files; "": none
/// @param given the folder that the run is to have, where one may have begun; "": a new one
/// @returns the run to resume; nothing if a new one starts.
/// @throws IoError if the wanted run does not exist, ConfigError if it belongs to other
/// processes.
std::optional<FoundRun> run_to_resume(const std::string& wanted, const std::string& given,
                                      const ClusterMember* member);

/// @throws ConfigError if a trainer of `trainer: ...` ended at a limit of epochs or episodes that
/// has not been raised, and has written its results.
void check_limits(const FoundRun& found, const RunConfig& config);

/// The run without the end that it reached, since there is now more to do.
/// @throws ConfigError if there is nothing left to do.
SavedRun unfinished(SavedRun run, const RunConfig& config, WorkerId workers);

} // namespace troupe
