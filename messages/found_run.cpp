#include "troupe/messages/found_run.hpp"

#include "troupe/messages/durable_file.hpp"
#include "troupe/messages/saved_header.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Not checkpoint_parameters.bin, which is newer than the state beside it.
bool is_state(const std::filesystem::path& path) {
  const auto name = path.filename().string();
  return name == saved_run_file || (name.starts_with("checkpoint.") && name.ends_with(".bin"));
}

} // namespace

FoundRun newest_run(const std::filesystem::path& folder) {
  std::vector<std::pair<std::uint64_t, std::filesystem::path>> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (const auto moment = is_state(entry.path()) ? saved_moment(entry.path()) : 0; moment > 0)
      files.emplace_back(moment, entry.path());
  if (files.empty())
    throw FileError("there is no " + std::string{saved_run_file} + " or " + checkpoint_file
                    + " in '" + folder.string()
                    + "' to resume from; give the folder of a run that has saved one, or 'latest'");
  std::sort(files.rbegin(), files.rend());
  FoundRun found;
  for (const auto& [moment, path] : files) {
    try {
      found.run = load_run(path);
      found.path = path;
      return found;
    } catch (const std::exception& e) {
      found.refused.emplace_back(e.what());
    }
  }
  std::string all;
  for (const auto& sentence : found.refused)
    all += (all.empty() ? "" : "\n") + sentence;
  throw DataError(all);
}

FoundRun run_at(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) ? newest_run(path)
                                             : FoundRun{path, load_run(path), {}};
}

std::vector<std::string> warnings_of(const FoundRun& found) {
  auto warnings = found.refused;
  if (!warnings.empty())
    warnings.push_back("the newest that is whole is used: " + found.path.string());
  return warnings;
}

} // namespace troupe
