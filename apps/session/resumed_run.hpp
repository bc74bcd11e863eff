// The saved run that a training goes on from.
#pragma once

#include "apps/cluster/cluster_member.hpp"
#include "apps/config/run_config.hpp"
#include "messages/checkpoint/saved_run.hpp"

#include <optional>
#include <string>

namespace troupe {

/// The folder of the run to go on with, before it is looked into; "" where it is not there.
/// @param wanted, given as in run_to_resume
std::filesystem::path folder_to_resume(const std::string& wanted, const std::string& given);

/// @param wanted the last run ("latest"), a run's folder or one of its files; "": none is asked for
/// @param given the folder that the run is to have, where one may have begun; "": a new one
/// @returns the run, which is this process's to go on with; nothing where a new one begins.
/// @throws FileError for a wanted run that is not there, ConfigError for one of other processes.
std::optional<FoundRun> run_to_resume(const std::string& wanted, const std::string& given,
                                      const ClusterMember* member);

/// @throws ConfigError where a trainer of `trainer: ...` has ended at a limit of epochs or episodes
/// that is no higher now, and has its results.
void check_limits(const FoundRun& found, const RunConfig& config);

/// The run without the end that it has reached, for which there is now more to do.
/// @throws ConfigError where there is nothing left to do.
SavedRun unfinished(SavedRun run, const RunConfig& config, WorkerId workers);

} // namespace troupe
