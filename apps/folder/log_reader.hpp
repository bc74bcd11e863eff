// Follows the log.jsonl of a run: hands on its rows.
#pragma once

#include "apps/folder/log_source.hpp"
#include "base/files/growing_file.hpp"

#include <string>
#include <vector>

namespace troupe {

/// Each call looks for the starts among the new lines first, which tells which rows count, and then
/// reads the rows: one at a time is in memory, however long the log is.
class LogReader : public LogSource {
public:
  explicit LogReader(const std::filesystem::path& file) : starts_in_(file), rows_in_(file) {}

  void poll(LogTaker& taker, bool growing = true,
            std::uint64_t most_bytes = GrowingFile::Extent::all) override;
  std::filesystem::path folder() const override { return path().parent_path(); }
  std::string first_damaged() const override;

  std::uint64_t position() const override { return rows_in_.bytes_read(); }
  const std::filesystem::path& path() const { return rows_in_.path(); }

private:
  bool read_starts(bool growing);
  void look_for_start(std::string_view line, std::uint64_t offset);
  void take_line(std::string_view line, std::uint64_t offset, LogTaker& taker);
  void begin_rows();
  void begin_anew();
  void skip(std::uint64_t line);

  GrowingFile starts_in_, rows_in_;
  ScannedRow row_;
  std::vector<std::uint64_t> starts_at_;               ///< offsets
  std::uint64_t looked_up_to_ = 0;                     ///< offset
  std::uint64_t lines_looked_at_ = 0, lines_read_ = 0; ///< for starts; for rows
  std::uint64_t damaged_rows_ = 0;
  std::uint64_t first_damaged_ = 0; ///< number of the line; 0: none
};

} // namespace troupe
