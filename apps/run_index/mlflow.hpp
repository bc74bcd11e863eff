// Writes runs as the files that MLflow reads: `mlflow ui --backend-store-uri FOLDER`.
#pragma once

#include "apps/run_index/folder_scan.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace troupe {

/// Writes a run into <target>/<experiment>/<run>/{meta.yaml,metrics/,params/,tags/}. What an
/// earlier call wrote of it is replaced. Runs of one grid or cluster are one experiment, named
/// after its folder; others belong to the experiment of their problem.
/// @returns false if the run has no log yet: nothing is written. @throws IoError
bool write_for_mlflow(const FoundFolder& found, const std::filesystem::path& target);

} // namespace troupe
