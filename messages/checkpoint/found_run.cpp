#include "messages/checkpoint/found_run.hpp"

#include "base/files/durable_file.hpp"
#include "base/text/number_in.hpp"
#include "base/text/text.hpp"
#include "messages/checkpoint/saved_header.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Excludes checkpoint_parameters.bin, which is newer than the state beside it.
bool is_checkpoint(const std::string& name, const std::filesystem::path& newest) {
  const auto begin = newest.stem().string() + ".", end = newest.extension().string();
  if (name == newest.string())
    return true;
  if (name.size() <= begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end))
    return false;
  const auto number = name.substr(begin.size(), name.size() - begin.size() - end.size());
  return is_digits(number);
}

/// Whether the names say so, as "checkpoint.2.bin" is older than "checkpoint.1.bin" and
/// "checkpoint.bin", whatever their times are.
bool comes_before(const std::string& older, const std::string& newer) {
  const auto series_and_number = [](const std::string& name) {
    const std::filesystem::path path{name};
    const auto stem = path.stem().string();
    const auto digits = stem.find_last_not_of("0123456789") + 1; // npos + 1 is 0
    const auto numbered = digits > 0 && digits < stem.size() && stem[digits - 1] == '.';
    return numbered ? std::pair{stem.substr(0, digits - 1) + path.extension().string(),
                                number_in<std::uint64_t>(stem.substr(digits)).value_or(0)}
                    : std::pair{name, std::uint64_t{0}};
  };
  const auto [series, number] = series_and_number(older);
  const auto [same, smaller] = series_and_number(newer);
  return series == same && number > smaller;
}

/// A file with a damaged time may be the newest although its time says otherwise, so it is checked.
/// Files that are older by name need not be read for that.
void add_damaged(const std::vector<std::pair<std::uint64_t, std::filesystem::path>>& older,
                 FoundRun& found) {
  for (const auto& [moment, path] : older)
    if (!comes_before(path.filename().string(), found.path.filename().string()))
      try {
        check_run_file(path);
      } catch (const std::exception& e) {
        found.refused.emplace_back(e.what());
      }
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
                    const std::vector<std::string>& checkpoints, RunPart part) {
  std::vector<std::pair<std::uint64_t, std::filesystem::path>> files;
  for (const auto& path : states_in(folder, checkpoints))
    if (const auto moment = saved_at_of(path); moment > 0) // otherwise it has disappeared
                                                           // meanwhile
      files.emplace_back(moment, path);
  if (files.empty())
    throw IoError("there is no " + std::string{saved_run_file} + " or " + checkpoint_file + " in '"
                  + folder.string()
                  + "': its run ended before it saved one, or it is no run's folder; give the "
                    "folder of a run that has saved one");
  std::sort(files.rbegin(), files.rend());
  FoundRun found;
  for (auto file = files.begin(); file != files.end(); ++file) {
    try {
      found.run = load_run(file->second, part);
      found.path = file->second;
    } catch (const std::exception& e) {
      found.refused.emplace_back(e.what());
      continue;
    }
    add_damaged({file + 1, files.end()}, found);
    return found;
  }
  throw DataError(joined(found.refused, "\n"));
}

FoundRun run_at(const std::filesystem::path& path, const std::vector<std::string>& checkpoints,
                RunPart part) {
  return std::filesystem::is_directory(path) ? newest_run(path, checkpoints, part)
                                             : FoundRun{path, load_run(path, part), {}};
}

std::vector<std::string> warnings_of(const FoundRun& found) {
  auto warnings = found.refused;
  if (!warnings.empty())
    warnings.push_back("the newest intact one is used: " + found.path.string());
  return warnings;
}

} // namespace troupe
