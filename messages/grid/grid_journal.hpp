// The journal of a grid's runs: a file to which lines are only ever appended.
//
//   3f0a5c0e9d1b2a47 {"grid":"5be1...","seed":17,"time":"2026-11-21T03:00:00.000Z"}
//   8c11d0a35e77f092 {"run":1,"attempt":1,"rung":0,"outcome":"done","score":0.21,...}
//
// Each line begins with the checksum (XXH3) of its JSON. A kill can leave an incomplete last line,
// which is ignored.
#pragma once

#include "base/files/line_file.hpp"
#include "base/text/enum_names.hpp"
#include "messages/grid/grid.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe {

/// The journal's first line: the grid to which it belongs.
struct GridIdentity {
  std::string plan;       ///< fingerprint of its trials
  std::uint64_t seed = 0; ///< of repetitions and of random search
  std::string time;
  TROUPE_FIELDS(plan, seed, time);
};

/// One line, including its line break.
std::string journal_line(const GridIdentity& identity);
std::string journal_line(const TrialEnded& ended);

/// The content of a journal.
struct GridJournal {
  std::optional<GridIdentity> identity; ///< nothing if not even the first line is complete
  std::vector<TrialEnded> ended;        ///< in their order
  std::size_t whole_bytes = 0;          ///< up to the end of the last complete line
  std::size_t damaged = 0;              ///< lines with a wrong checksum, except the last
};

/// Reads the text of a journal; damaged lines are ignored.
GridJournal parse_journal(std::string_view text);

/// When appended lines are synchronised to the disk. A killed process loses nothing in any case;
/// after a power failure, runs whose lines were not synchronised are run again.
enum class JournalSync : std::uint8_t {
  never,
  seldom, ///< at most once a second
  always, ///< after each line
};
constexpr auto enum_names(JournalSync) { return name_list("never", "seldom", "always"); }

/// Appends to a journal. Only one process at a time can open it.
class JournalFile {
public:
  /// Opens it, or creates it with its folder; what follows the last complete line is cut off.
  /// @throws IoError if that fails, or if another process has it open.
  JournalFile(std::filesystem::path path, JournalSync sync);
  ~JournalFile(); ///< synchronises, unless never
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  /// Its content when it was opened.
  const GridJournal& previous() const { return previous_; }

  /// @throws IoError, e.g. on a full disk; and always after the disk has failed to keep a line.
  void append(std::string_view line);

private:
  void synchronise();

  std::filesystem::path path_;
  JournalSync sync_;
  GridJournal previous_;
  LineFile file_;
  bool unsynchronised_ = false;
  bool refused_ = false; ///< by the disk, which reports that only once
  std::chrono::steady_clock::time_point synchronised_{};
};

/// Reads a journal without opening it for writing; a missing one is empty.
/// @throws IoError if it cannot be read.
GridJournal read_journal(const std::filesystem::path& path);

} // namespace troupe
