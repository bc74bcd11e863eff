#include "apps/session/remote_paths.hpp"

#include "base/files/inside_folder.hpp"
#include "base/text/text.hpp"

#include <algorithm>
#include <array>

namespace troupe {

namespace {

constexpr std::array<std::string_view, 3> path_options{"path", "folder", "save_to"};

void check_path(const ConfiguredExtension& extension, const std::string& option,
                const std::string& path, const std::filesystem::path& folder) {
  if (!path.empty() && !stays_inside(folder, path))
    throw ConfigError("extensions." + extension.name + "." + option + " is " + in_quotes(path)
                      + ", which leads out of the run's folder; remote control may only use files "
                        "in it: give a path like mine.bin, without .. and links");
}

void check_options(const ConfiguredExtension& extension, const config::Node& section,
                   const std::filesystem::path& folder) {
  for (const auto& [name, value] : section.entries()) {
    if (value.is_map())
      check_options(extension, value, folder);
    else if (names_a_path(name))
      check_path(extension, name, value.text(), folder);
  }
}

} // namespace

bool names_a_path(std::string_view option) {
  return std::find(path_options.begin(), path_options.end(), option) != path_options.end();
}

void check_remote_paths(const ConfiguredExtension& extension, const std::filesystem::path& folder) {
  check_options(extension, extension.options, folder);
}

} // namespace troupe
