#include "apps/collection/remote_files.hpp"

#include "apps/plots/abscissa.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

/// A path whose parts are names of files that are not hidden.
bool stays_below(const std::filesystem::path& path) {
  return !path.empty() && path.is_relative()
         && std::none_of(path.begin(), path.end(), [](const auto& part) {
              return part.empty() || part.string().starts_with('.');
            });
}

std::string path_in(const nlohmann::json& object, const char* member) {
  auto path = object.at(member).get<std::string>();
  if (!stays_below(path) || path.find('\0') != std::string::npos)
    throw std::invalid_argument("the path '" + path + "' is not one below a folder");
  return path;
}

} // namespace

RemoteFiles remote_files_in(const std::string& json) {
  RemoteFiles files;
  auto& folders = files.folders;
  try {
    const auto answer = nlohmann::json::parse(json);
    files.machine = answer.at("machine").get<std::string>();
    for (const auto& listed : answer.at("folders")) {
      RemoteFolder folder{listed.at("id").get<std::string>(), path_in(listed, "path"), {}};
      for (const auto& file : listed.at("files"))
        folder.files.push_back({path_in(file, "name"), file.at("bytes").get<std::uint64_t>(),
                                unix_time_of(file.at("changed").get<std::string>())});
      folders.push_back(std::move(folder));
    }
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(error.what());
  }
  std::sort(folders.begin(), folders.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

bool only_grows(const std::string& name) {
  return name.ends_with(".jsonl") || name.ends_with(".log") || name == "journal";
}

std::optional<std::uint64_t> first_lacking(const RemoteFile& file,
                                           const std::optional<CopiedFile>& copy) {
  if (!copy)
    return 0;
  if (only_grows(file.name)) {
    if (copy->bytes == file.bytes)
      return {};
    return copy->bytes < file.bytes ? copy->bytes : 0;
  }
  constexpr double precision = 0.002; // seconds, of the times in an answer
  if (copy->bytes == file.bytes && std::fabs(copy->changed - file.changed) < precision)
    return {};
  return 0;
}

} // namespace troupe
