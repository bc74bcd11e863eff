#include "apps/folder/unstarted_run.hpp"

namespace troupe {

namespace {

std::set<std::string> names_inside(const std::filesystem::path& folder) {
  std::set<std::string> names;
  std::error_code ignored; // the folder may be unreadable
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    names.insert(entry.path().filename().string());
  return names;
}

std::filesystem::path settled_path(const std::filesystem::path& path) {
  std::error_code error; // the working directory may be gone
  auto whole = std::filesystem::absolute(path, error).lexically_normal();
  return error ? path : whole.has_filename() ? whole : whole.parent_path();
}

} // namespace

UnstartedRun::UnstartedRun(const std::filesystem::path& place) : existing_(settled_path(place)) {
  std::error_code ignored;
  while (!std::filesystem::exists(existing_, ignored) && existing_.has_relative_path())
    existing_ = existing_.parent_path();
}

void UnstartedRun::made(const std::filesystem::path& folder) {
  folder_ = settled_path(folder);
  if (folder_ == existing_)
    before_ = names_inside(folder_);
}

UnstartedRun::~UnstartedRun() {
  if (begun_ || folder_.empty())
    return;
  std::error_code failed; // what cannot be removed stays
  if (folder_ == existing_) {
    for (const auto& name : names_inside(folder_))
      if (!before_.contains(name))
        std::filesystem::remove_all(folder_ / name, failed);
    return;
  }
  std::filesystem::remove_all(folder_, failed);
  // Also removes parent folders that were made for it, unless another run uses them.
  for (auto above = folder_.parent_path(); above != existing_ && above.has_relative_path();
       above = above.parent_path())
    if (!std::filesystem::remove(above, failed))
      return;
}

} // namespace troupe
