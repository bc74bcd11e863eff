#include "apps/folder/run_files.hpp"

#include "apps/config/print.hpp"
#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "apps/folder/run_folder.hpp"
#include "base/files/checked_text.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/private_files.hpp"
#include "extensions/support/extension_kind.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

namespace troupe {

namespace {

/// Renames the log of a run that cannot be resumed.
void set_log_aside(const std::filesystem::path& folder) {
  const auto log = folder / "log.jsonl";
  if (!is_there(log))
    return;
  auto aside = log;
  for (int i = 1; std::filesystem::exists(aside); ++i)
    aside = folder / ("log." + std::to_string(i) + ".jsonl");
  std::error_code error;
  std::filesystem::rename(log, aside, error);
  if (error)
    throw IoError("cannot rename '" + log.string() + "': " + error.message());
  std::cerr << "warning: the run in '" << folder.string()
            << "' left no state to resume from and starts again; its log is now '" << aside.string()
            << "'\n";
}

/// The file written by an extension that a run can be resumed from, if it lies beside the
/// configuration; "" for none.
std::string checkpoint_name(const std::string& extension, const config::Node& section) {
  ConfiguredExtension saved;
  saved.name = extension;
  saved.type = config::text_at(section, {"type"});
  if (saved.type.empty())
    saved.type = extension;
  const auto* kind = extension_kinds().find(saved.type);
  if (kind == nullptr || !section.is_map())
    return "";
  saved.options = own_options(*kind, section);
  const std::filesystem::path given = hook_answer(saved, &RunHooks<>::saves_run).value_or("");
  const auto path = given.lexically_normal();
  return path.has_parent_path() ? "" : path.string();
}

} // namespace

void write_configuration(const std::filesystem::path& folder, const std::string& yaml) {
  write_file(folder / "config.yaml", yaml_with_checksum(yaml));
}

std::string repeatable(config::Node tree) {
  tree.erase("control");
  return config::to_yaml(tree);
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return !error && bytes > 0;
}

std::vector<std::string> checkpoints_of(const std::filesystem::path& folder) {
  std::vector<std::string> names{checkpoint_file};
  try {
    const auto tree = config::read_yaml_file(folder / "config.yaml");
    if (const auto* extensions = tree.find("extensions"))
      for (const auto& [extension, section] : extensions->entries())
        if (auto name = checkpoint_name(extension, section); !name.empty())
          names.push_back(std::move(name));
  } catch (const ConfigError&) { // reported when the whole file is read
  }
  return names;
}

bool has_state(const std::filesystem::path& folder) {
  return !states_in(folder, checkpoints_of(folder)).empty();
}

void keep_findable(const FoundRun& found, const std::filesystem::path& folder) {
  const auto states = states_in(folder, checkpoints_of(folder));
  std::error_code ignored; // a file system may lack links
  if (std::none_of(states.begin(), states.end(),
                   [&](const auto& state) { return state.filename() == found.path.filename(); }))
    std::filesystem::create_hard_link(found.path, folder / checkpoint_file, ignored);
}

void say_warnings(const FoundRun& found) {
  for (const auto& sentence : warnings_of(found))
    std::cerr << "warning: " << sentence << "\n";
}

std::optional<FoundRun> begun_run(const std::filesystem::path& folder) {
  if (!has_state(folder))
    return {};
  return newest_run(folder, checkpoints_of(folder));
}

std::filesystem::path fresh_folder(const std::filesystem::path& folder) {
  make_private_folder(folder);
  set_log_aside(folder);
  return folder;
}

} // namespace troupe
