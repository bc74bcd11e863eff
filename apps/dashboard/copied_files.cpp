#include "apps/dashboard/copied_files.hpp"

#include "base/files/head_checksum.hpp"
#include "base/host_name.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

namespace troupe {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct CopiedFolder {
  std::string id;
  fs::path path;
  std::vector<std::string> (*files)(const fs::path& folder);
};

/// What a run writes for its readers: no checkpoints and models, and no address of its control.
bool is_copied(const std::string& name) {
  constexpr std::array<std::string_view, 5> ends{".jsonl", ".log", ".yaml", ".json", ".csv"};
  return is_picture(name)
         || std::any_of(ends.begin(), ends.end(), [&](auto end) { return name.ends_with(end); });
}

std::vector<std::string> copied_files_of_run(const fs::path& folder) {
  auto names = listed_files(folder);
  std::erase_if(names, [](const auto& name) { return !is_copied(name) || name == collected_file; });
  return names;
}

std::vector<CopiedFolder> copied_folders(const RunTable& table) {
  std::vector<CopiedFolder> folders;
  for (const auto& row : table.rows())
    if (!row->found.is_stored())
      folders.push_back({row->id, row->found.path, copied_files_of_run});
  for (const auto& grid : table.grids())
    folders.push_back({folder_id(grid.path), grid.path, [](const fs::path&) {
                         return std::vector<std::string>{"grid.json", "journal"};
                       }});
  for (const auto& cluster : table.clusters())
    folders.push_back({folder_id(cluster.path), cluster.path, [](const fs::path&) {
                         return std::vector<std::string>{"cluster.json", "config.yaml"};
                       }});
  return folders;
}

/// "runs/digits/mlp/2026-11-27T02-11-50Z": below the name of the watched folder.
std::string path_below_roots(const fs::path& folder, const RunTable& table) {
  for (const auto& root : table.roots()) {
    std::error_code error;
    const auto below = fs::canonical(root, error);
    const auto end = std::mismatch(below.begin(), below.end(), folder.begin(), folder.end());
    if (!error && end.first == below.end())
      return (below.filename() / folder.lexically_relative(below)).lexically_normal().string();
  }
  return folder.filename().string();
}

/// Nothing for what is no regular file any more.
std::optional<Json> file_description(const fs::path& folder, const std::string& name) {
  struct stat status {};
  if (lstat((folder / name).c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return {};
  const auto changed = static_cast<double>(status.st_mtim.tv_sec)
                       + static_cast<double>(status.st_mtim.tv_nsec) / 1e9;
  return Json{{"name", name}, {"bytes", status.st_size}, {"changed", utc_time_text(changed)}};
}

} // namespace

ApiAnswer copied_folders_answer(const RunTable& table) {
  auto list = Json::array();
  for (const auto& folder : copied_folders(table)) {
    auto files = Json::array();
    for (const auto& name : folder.files(folder.path))
      if (auto file = file_description(folder.path, name))
        files.push_back(std::move(*file));
    list.push_back({{"id", folder.id},
                    {"path", path_below_roots(folder.path, table)},
                    {"files", std::move(files)}});
  }
  return json_answer({{"machine", host_name()}, {"folders", std::move(list)}});
}

ApiAnswer copied_file_answer(const RunTable& table, const ApiRequest& request,
                             const std::string& folder, const std::string& name) {
  constexpr std::size_t piece = 1 << 20;
  constexpr auto far = std::numeric_limits<std::int64_t>::max();
  const auto from = number_parameter<std::int64_t>(request, "from", 0, 0, far);
  const auto folders = copied_folders(table);
  const auto found = std::find_if(folders.begin(), folders.end(),
                                  [&](const auto& one) { return one.id == folder; });
  const auto files
    = found == folders.end() ? std::vector<std::string>{} : found->files(found->path);
  if (std::find(files.begin(), files.end(), name) == files.end()
      || !file_description(found->path, name))
    throw ApiRefusal{404, "there is no such file to copy; GET /api/files lists them"};
  std::ifstream file{found->path / name, std::ios::binary};
  const auto head = number_parameter<std::int64_t>(request, "head", -1, -1, far);
  if (head >= 0 && head != head_checksum(file, static_cast<std::uint64_t>(from)))
    throw ApiRefusal{409, "the file was replaced; copy it from its first byte"};
  std::string bytes(piece, '\0');
  file.seekg(from);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return {200, "application/octet-stream", std::move(bytes), {}};
}

} // namespace troupe
