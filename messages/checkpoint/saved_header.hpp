// The header of a saved state's file: a line that says what the file is, the format's version, size
// and checksum of the content, and when it was saved.
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
  static constexpr std::uint32_t newest_version = 1;

  std::uint32_t version = newest_version;
  std::uint64_t size = 0;     ///< of the content, in bytes
  std::uint64_t checksum = 0; ///< XXH3 of the content, with `saved_at` as its seed
  std::uint64_t saved_at = 0; ///< nanoseconds since 1970

  std::string packed() const;                     ///< what stands behind the magic
  static constexpr std::size_t bytes = 4 + 3 * 8; ///< of that
  /// What stands in `text` from `begin` on; nothing if it is cut. If the version is not known, the
  /// other fields mean nothing.
  static std::optional<SavedHeader> unpacked(std::string_view text, std::size_t begin);
};

/// The time to write into a state that is saved now: later than all that this process has saved or
/// read before, even if clocks differ or are set back.
std::uint64_t next_saved_at();
/// This process has read a state that was saved at that time.
void note_saved_at(std::uint64_t saved_at);

/// When the state in a file was saved: the time in the file, or without one the file's modification
/// time, which a copy may not keep; 0 if there is no file.
std::uint64_t saved_at_of(const std::filesystem::path& path);

} // namespace troupe
