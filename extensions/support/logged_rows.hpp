// How an extension reads what an earlier run has left in its folder, which the program knows how
// to.
#pragma once

#include "messages/log/log.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace troupe {

/// Reads the log of a run, of all workers and in the order of writing, and passes it to `take` row
/// by row.
/// @param path of the run: its folder, or a file in it. May throw; the message ends training.
using TakeLoggedRow = std::function<void(Write row)>;
using LoggedRows = std::function<void(const std::string& path, const TakeLoggedRow& take)>;

/// The names of the checkpoints in a run's folder, to find its newest state. May be called for any
/// path.
using CheckpointNames
  = std::function<std::vector<std::string>(const std::filesystem::path& folder)>;

} // namespace troupe
