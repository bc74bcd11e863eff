#include "model/data/images/folder_files.hpp"

#include "base/failure.hpp"
#include "base/text/text.hpp"
#include "model/formats/data_file.hpp"

#include <algorithm>
#include <filesystem>

namespace troupe {

namespace {

namespace fs = std::filesystem;

bool ends_as(const std::string& name, const std::string& suffix) {
  return name.size() >= suffix.size()
         && std::equal(suffix.rbegin(), suffix.rend(), name.rbegin(), [](char a, char b) {
              return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
            });
}

/// @param takes whether to read an entry
template <class Takes>
FolderFiles sorted_entries(const std::string& folder, Takes takes) {
  FolderFiles files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto& path = entry->path();
    if (!path.filename().string().starts_with('.'))
      (takes(*entry) ? files.taken : files.skipped).push_back(path.string());
  }
  if (error)
    throw IoError("cannot read the folder " + folder + ": " + error.message()
                  + "; check the path and its permissions");
  std::sort(files.taken.begin(), files.taken.end());
  std::sort(files.skipped.begin(), files.skipped.end());
  return files;
}

} // namespace

FolderFiles files_in(const std::string& folder, const std::vector<std::string>& suffixes) {
  return sorted_entries(folder, [&suffixes](const fs::directory_entry& entry) {
    const auto name = entry.path().filename().string();
    return std::any_of(suffixes.begin(), suffixes.end(),
                       [&name](const auto& suffix) { return ends_as(name, suffix); })
           && file_type_of(entry) == fs::file_type::regular;
  });
}

FolderFiles folders_in(const std::string& folder) {
  return sorted_entries(folder, [](const fs::directory_entry& entry) {
    return file_type_of(entry) == fs::file_type::directory;
  });
}

std::string first_of(const std::vector<std::string>& names) { return first_joined(names, 5); }

std::string skipped_text(const std::vector<std::string>& paths, const std::string& read) {
  return std::to_string(paths.size()) + (paths.size() == 1 ? " entry is" : " entries are")
         + " skipped, because only " + read + " are read: " + first_of(paths);
}

} // namespace troupe
