#include "troupe/messages/found_run.hpp"

#include "troupe/messages/durable_file.hpp"
#include "troupe/messages/saved_header.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Not checkpoint_parameters.bin, which is newer than the state beside it.
bool is_checkpoint(const std::string& name, const std::filesystem::path& newest) {
  const auto begin = newest.stem().string() + ".", end = newest.extension().string();
  if (name == newest.string())
    return true;
  if (name.size() <= begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end))
    return false;
  const auto number = name.substr(begin.size(), name.size() - begin.size() - end.size());
  return number.find_first_not_of("0123456789") == std::string::npos;
}

} // namespace

std::vector<std::filesystem::path> states_in(const std::filesystem::path& folder,
                                             const std::vector<std::string>& checkpoints) {
  std::vector<std::filesystem::path> states;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto name = entry.path().filename().string();
    if (name == saved_run_file
        || std::any_of(checkpoints.begin(), checkpoints.end(),
                       [&](const auto& newest) { return is_checkpoint(name, newest); }))
      states.push_back(entry.path());
  }
  return states;
}

FoundRun newest_run(const std::filesystem::path& folder,
                    const std::vector<std::string>& checkpoints) {
  std::vector<std::pair<std::uint64_t, std::filesystem::path>> files;
  for (const auto& path : states_in(folder, checkpoints))
    if (const auto moment = saved_moment(path); moment > 0) // else it has gone meanwhile
      files.emplace_back(moment, path);
  if (files.empty())
    throw FileError("there is no " + std::string{saved_run_file} + " or " + checkpoint_file
                    + " in '" + folder.string()
                    + "': its run ended before it saved one, or it is no run's folder; give the "
                      "folder of a run that has saved one");
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

FoundRun run_at(const std::filesystem::path& path, const std::vector<std::string>& checkpoints) {
  return std::filesystem::is_directory(path) ? newest_run(path, checkpoints)
                                             : FoundRun{path, load_run(path), {}};
}

std::vector<std::string> warnings_of(const FoundRun& found) {
  auto warnings = found.refused;
  if (!warnings.empty())
    warnings.push_back("the newest that is whole is used: " + found.path.string());
  return warnings;
}

} // namespace troupe
