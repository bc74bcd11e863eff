// The files that a run leaves in its folder, and those it is resumed from.
#pragma once

#include "base/config/node.hpp"
#include "messages/checkpoint/found_run.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Writes config.yaml, with a checksum. @throws IoError
void write_configuration(const std::filesystem::path& folder, const std::string& yaml);

/// The configuration without the section `control`: a repetition may be controlled differently.
std::string repeatable(config::Node tree);

/// False also for a file that a power cut left empty.
bool is_there(const std::filesystem::path& path);

/// Names of the checkpoints in a run's folder: those of its configuration and the default one.
std::vector<std::string> checkpoints_of(const std::filesystem::path& folder);

/// Whether a run has saved a state in its folder, even a damaged one, which begun_run reports.
bool has_state(const std::filesystem::path& folder);

/// If the folder's new configuration renames the checkpoints, links the found state under a name
/// that is still found.
void keep_findable(const FoundRun& found, const std::filesystem::path& folder);

/// Prints on standard error why newer states than the found one cannot be used.
void say_warnings(const FoundRun& found);

/// The state from which a run in its folder is resumed; nothing if it has saved none.
/// @throws DataError if none of its states can be used.
std::optional<FoundRun> begun_run(const std::filesystem::path& folder);

/// Makes the folder of a new run. The log of an earlier run there that left no state is kept as
/// log.1.jsonl, log.2.jsonl and so on, the newest last, with a warning.
/// @returns the folder. @throws IoError
std::filesystem::path fresh_folder(const std::filesystem::path& folder);

} // namespace troupe
