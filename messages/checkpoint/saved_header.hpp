// What the file of a saved state begins with: a line that says what it is, the format's version,
// size and checksum of the content, and when it was saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

inline constexpr std::string_view run_magic = "troupe saved run\n",
                                  holder_magic = "troupe saved holder\n";

struct SavedHeader {
  /// 5 did not say when it was saved.
  static constexpr std::uint32_t newest_version = 6, oldest_version = 5;

  std::uint32_t version = newest_version;
  std::uint64_t size = 0;     ///< of the content, in bytes
  std::uint64_t checksum = 0; ///< XXH3 of the content, with `saved_at` as its seed
  std::uint64_t saved_at = 0; ///< nanoseconds since 1970; 0: the file does not say

  std::string packed() const; ///< what stands behind the magic
  std::size_t bytes() const;  ///< of that
  /// What stands in `text` from `begin` on; nothing where it is cut. Of a version that is not known
  /// only the version is told.
  static std::optional<SavedHeader> unpacked(std::string_view text, std::size_t begin);
};

/// When a state that is saved now was saved: later than all that this process has saved or read
/// before, also where clocks differ or are set back.
std::uint64_t moment_of_saving();
/// This process has read a state that was saved then.
void has_read(std::uint64_t saved_at);

/// When the state in a file was saved: as the file says, or where it does not, when the file was
/// written, which a copy may not remember; 0 where there is no file.
std::uint64_t saved_moment(const std::filesystem::path& path);

} // namespace troupe
