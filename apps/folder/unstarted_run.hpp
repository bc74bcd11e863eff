// The folder of a run that has not started: a refused run leaves nothing behind.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace troupe {

/// Removes what was made for a run, unless the run starts. What existed before stays.
class UnstartedRun {
public:
  /// @param place the run's folder, or the root under which it will be made
  explicit UnstartedRun(const std::filesystem::path& place);
  ~UnstartedRun();
  UnstartedRun(const UnstartedRun&) = delete;
  UnstartedRun& operator=(const UnstartedRun&) = delete;

  /// The run's folder exists, and no other process works in it.
  void made(const std::filesystem::path& folder);
  /// From now on everything stays.
  void begin() { begun_ = true; }
  bool has_begun() const { return begun_; }

private:
  std::filesystem::path existing_; ///< the closest ancestor of `place` that existed before
  std::filesystem::path folder_;   ///< "": not made yet
  std::set<std::string> before_;   ///< names in the folder, if it existed before
  bool begun_ = false;
};

} // namespace troupe
