// sources.json in a run's folder: where each value of its configuration was set.
#pragma once

#include "base/config/node.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace troupe {

/// Writes the sources of all values that are no defaults. @throws IoError
void write_value_sources(const std::filesystem::path& folder, const config::Node& tree);

/// By key: "training.epochs" -> "command line: training.epochs=3". Nothing if the run keeps none,
/// or the file is damaged.
std::optional<std::map<std::string, std::string>>
value_sources_in(const std::filesystem::path& folder);

} // namespace troupe
