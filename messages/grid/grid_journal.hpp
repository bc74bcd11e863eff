// What a grid remembers of its runs: a file to which lines are only ever appended.
//
//   3f0a5c0e9d1b2a47 {"grid":"5be1...","seed":17,"time":"2026-11-21T03:00:00.000Z"}
//   8c11d0a35e77f092 {"run":1,"attempt":1,"rung":0,"outcome":"done","score":0.21,...}
//
// Each begins with the checksum (XXH3) of its JSON. A kill can leave half a last line behind, which
// counts as never written.
#pragma once

#include "base/files/line_file.hpp"
#include "messages/grid/grid.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe {

/// The journal's first line: which grid it is of.
struct GridIdentity {
  std::string plan;       ///< fingerprint of its trials
  std::uint64_t seed = 0; ///< of repetitions and of random search
  std::string time;
  FIELDS(plan, seed, time);
};

/// One line with its end.
std::string journal_line(const GridIdentity& identity);
std::string journal_line(const TrialEnded& ended);

/// What a journal says.
struct GridJournal {
  std::optional<GridIdentity> identity; ///< nothing where not even the first line is whole
  std::vector<TrialEnded> ended;        ///< in their order
  std::size_t whole_bytes = 0;          ///< up to the end of the last whole line
  std::size_t damaged = 0;              ///< lines that are not what was written, the last excepted
};

/// Reads the text of a journal; lines that are damaged count as never written.
GridJournal parse_journal(std::string_view text);

/// When what is appended is handed to the disk itself. Whatever this is, a killed process loses
/// nothing; a machine that loses its power may lose what was not synchronised, which is run again.
enum class JournalSync : std::uint8_t {
  never,
  seldom, ///< not more often than once in a second
  always, ///< after each line
};

std::string to_string(JournalSync sync);
bool from_text(std::string_view text, JournalSync& sync); ///< false for an unknown word

/// Appends to a journal. One process at a time has it open.
class JournalFile {
public:
  /// Opens it, or makes it with its folder; what is behind the last whole line is cut off.
  /// @throws FileError where it cannot, or where another process has it open.
  JournalFile(std::filesystem::path path, JournalSync sync);
  ~JournalFile(); ///< synchronises, unless never
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  /// What it held when it was opened.
  const GridJournal& former() const { return former_; }

  /// @throws FileError, e.g. on a full disk; and always once the disk could not keep a line.
  void append(std::string_view line);

private:
  void synchronise();

  std::filesystem::path path_;
  JournalSync sync_;
  GridJournal former_;
  LineFile file_;
  bool unsynchronised_ = false;
  bool refused_ = false; ///< by the disk, which tells of that once only
  std::chrono::steady_clock::time_point synchronised_{};
};

/// Reads a journal without opening it for writing; an absent one is empty.
/// @throws FileError where it cannot be read.
GridJournal read_journal(const std::filesystem::path& path);

} // namespace troupe
