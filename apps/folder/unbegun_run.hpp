// The folder of a run that has not begun: a run that is refused leaves nothing behind.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace troupe {

/// Takes what was made for a run away again, unless the run begins. What was there before stays.
class UnbegunRun {
public:
  /// @param place the run's folder, or the root under which it is going to be made
  explicit UnbegunRun(const std::filesystem::path& place);
  ~UnbegunRun();
  UnbegunRun(const UnbegunRun&) = delete;
  UnbegunRun& operator=(const UnbegunRun&) = delete;

  /// The run's folder is there, and no other process is at work in it.
  void made(const std::filesystem::path& folder);
  /// From now on all of it stays.
  void begin() { begun_ = true; }
  bool has_begun() const { return begun_; }

private:
  std::filesystem::path existing_; ///< the nearest to `place` that was there before
  std::filesystem::path folder_;   ///< "": not made yet
  std::set<std::string> before_;   ///< names in the folder, where it was there before
  bool begun_ = false;
};

} // namespace troupe
