#include "apps/folder/run_folder.hpp"

#include "apps/folder/cluster_folder.hpp"
#include "base/files/checked_text.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/private_files.hpp"
#include "base/files/synchronising_pause.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <ctime>
#include <iostream>
#include <system_error>

namespace troupe {

namespace {

IoError cannot(const std::string& what, const std::filesystem::path& path, int error) {
  return IoError("cannot " + what + " '" + path.string()
                 + "': " + std::generic_category().message(error));
}

std::string time_name(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text;
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H-%M-%SZ", &parts)};
}

/// Syncs the folder itself: without its entry in the parent, the run's files would be lost.
void keep_names_in(const std::filesystem::path& folder) {
  if (SynchronisingPause::here())
    return;
  if (const auto error = synchronise_folder(folder); error != 0)
    throw cannot("synchronise", folder, error);
}

/// Creates parent/name, or appends "-2", "-3" and so on if the name is taken.
std::filesystem::path create_own_folder(const std::filesystem::path& parent,
                                        const std::string& name) {
  constexpr int most = 10'000; // starts in one second; more means a bug
  for (int i = 1; i <= most; ++i) {
    const auto folder = parent / (i == 1 ? name : name + "-" + std::to_string(i));
    // mkdir succeeds for exactly one caller, so the folder is its own lock.
    if (mkdir(folder.c_str(), 0700) == 0) {
      keep_names_in(parent);
      return folder;
    }
    if (errno != EEXIST)
      throw cannot("create", folder, errno);
  }
  throw cannot("create", parent / name, EEXIST);
}

} // namespace

bool means_latest(std::string_view run) { return run == "latest" || run == "last"; }

std::filesystem::path path_of_run(const std::string& run) {
  return means_latest(run) ? std::filesystem::path{"runs/latest"} : std::filesystem::path{run};
}

std::string as_file_name(std::string_view name) {
  constexpr std::size_t longest = 100;
  std::string result;
  for (char c : name.substr(0, longest)) {
    const auto u = static_cast<unsigned char>(c);
    const bool fits = u < 0x80 && (std::isalnum(u) != 0 || c == '_' || c == '-');
    if (fits || (c == '.' && !result.empty()))
      result += c;
    else if (c != '.' && (result.empty() || result.back() != '-'))
      result += '-';
  }
  return result.empty() || result == "-" ? "unnamed" : result;
}

std::filesystem::path create_run_folder(const RunFolderOptions& options) {
  const auto parent = options.root / as_file_name(options.problem) / as_file_name(options.model);
  try {
    make_private_folder(parent);
  } catch (const IoError& e) {
    throw IoError("cannot create '" + parent.string() + "': " + e.what());
  }
  auto name = time_name(options.started);
  if (!options.tag.empty())
    name += "-" + as_file_name(options.tag);
  return create_own_folder(parent, name);
}

std::filesystem::path create_test_folder(const std::filesystem::path& run, const std::string& tag,
                                         std::chrono::system_clock::time_point started) {
  return create_own_folder(run, "test_" + time_name(started)
                                  + (tag.empty() ? "" : "_" + as_file_name(tag)));
}

void point_latest(const std::filesystem::path& root, const std::filesystem::path& folder) {
  const auto link = root / "latest";
  auto target = folder.lexically_relative(root);
  if (target.empty() || *target.begin() == "..")
    target = std::filesystem::absolute(folder);
  const auto fresh
    = make_beside(link, [&](const char* name) { return symlink(target.c_str(), name); });
  if (rename(fresh.c_str(), link.c_str()) != 0) {
    const auto error = errno;
    unlink(fresh.c_str());
    throw cannot("write", link, error);
  }
  keep_names_in(root);
}

void point_latest_if_possible(const std::filesystem::path& root,
                              const std::filesystem::path& folder) {
  try {
    point_latest(root, folder);
  } catch (const std::runtime_error& e) {
    const auto link = root / "latest";
    std::error_code missing;
    if (std::filesystem::exists(link, missing))
      std::cerr << "warning: 'latest' does not point to this run: " << e.what() << "; move '"
                << link.string() << "' away, or name runs by their folders\n";
  }
}

std::filesystem::path existing_path(const std::string& run) {
  const auto path = path_of_run(run);
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw IoError(
      "there is no '" + path.string() + "'; give the folder of a run, or one of its files"
      + (means_latest(run) ? ": nothing has been trained in this folder yet" : ", or 'latest'"));
  return is_launched(path) ? folder_of_worker(path, 0) : path;
}

std::filesystem::path folder_of_run(const std::string& run) {
  const auto path = existing_path(run);
  const auto folder = std::filesystem::is_directory(path) ? path : path.parent_path();
  // The configuration is in the folder of the states, which is the parent of the folder of saved
  // models.
  auto above = folder / "..";
  // Shorter, unless a link leads elsewhere.
  if (std::error_code none; std::filesystem::equivalent(above, above.lexically_normal(), none))
    above = above.lexically_normal();
  return !std::filesystem::exists(folder / "config.yaml")
             && std::filesystem::exists(above / "config.yaml")
           ? above
           : folder;
}

std::filesystem::path configuration_of_run(const std::string& run) {
  if (run.ends_with(".yaml"))
    return existing_path(run);
  const auto config = folder_of_run(run) / "config.yaml";
  if (!std::filesystem::exists(config))
    throw IoError("there is no '" + config.string()
                  + "', which says what model the parameters belong to; give the folder of a "
                    "run, or a file in it");
  check_yaml_file(config);
  return config;
}

} // namespace troupe
