// The runs in a store (actors/log/log_store.hpp), as folders have them.
#pragma once

#include "actors/log/log_store.hpp"
#include "apps/folder/log_source.hpp"
#include "apps/run_index/folder_scan.hpp"

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// The runs whose logs a store has; the logs of one run, the first and those of its resumes, are
/// one. Its path is that of the store with the run's name and the first digits of its first log's id.
/// @param known ids of logs that are shown from folders, whose runs are left out
/// @throws StoreError
std::vector<FoundFolder> find_stored_runs(LogStore& store, const std::filesystem::path& path,
                                          const std::set<std::string>& known);

/// The log of a run, in its folder or in a store.
/// @param store that the run is in, if it is open; nullptr: it is opened
/// @throws StoreError if the store cannot be opened
std::unique_ptr<LogSource> opened_log(const FoundFolder& run,
                                      std::shared_ptr<LogStore> store = nullptr);

} // namespace troupe
