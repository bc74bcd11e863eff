#include "apps/folder/log_stream.hpp"

#include "apps/folder/log_source.hpp"
#include "base/exit_codes.hpp"
#include "messages/evaluation/undefined_metrics.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

namespace troupe {

namespace {

/// Calls `take` with each line of a log file.
template <class Take>
void read_lines_of_log(const std::filesystem::path& path, Take take) {
  std::ifstream file{path, std::ios::binary};
  if (!file)
    throw IoError("cannot read '" + path.string() + "'");
  for (std::string line; std::getline(file, line);)
    take(line);
}

} // namespace

LogStream::LogStream(std::filesystem::path file) : file_(std::move(file)) {
  read_lines_of_log(file_, [this](const std::string& line) {
    if (!is_row(line))
      head_.take(line);
  });
}

void LogStream::each_row(const Visit& visit) const {
  RunLog passed; // the starts so far
  const auto counts = [&](const LoggedRow& row) {
    const auto& starts = head_.starts();
    return std::none_of(starts.begin() + static_cast<std::ptrdiff_t>(passed.starts().size()),
                        starts.end(),
                        [&](const auto& later) { return superseded(later.start, row.row); });
  };
  read_lines_of_log(file_, [&](const std::string& line) {
    if (!is_row(line))
      passed.take(line);
    else if (const auto row = logged_row(line); row && counts(*row))
      visit(*row);
  });
}

std::vector<LogStream> log_streams(const std::filesystem::path& run) {
  std::vector<LogStream> streams;
  for (const auto& file : log_files(run))
    streams.emplace_back(file);
  return streams;
}

void read_logged_rows(const std::filesystem::path& path, const TakeLoggedRow& take) {
  for (const auto& log :
       log_streams(std::filesystem::is_directory(path) ? path : path.parent_path()))
    log.each_row([&take](const LoggedRow& row) {
      take({row.row, row.epoch, row.seconds, row.records, ""});
    });
}

double last_record(const std::filesystem::path& folder, const std::string& name) {
  auto last = std::numeric_limits<double>::quiet_NaN();
  for (const auto& log : log_streams(folder))
    log.each_row([&](const LoggedRow& row) {
      if (const auto found = row.records.find(name);
          found != row.records.end() && !is_undefined(row.records, name))
        last = number_of(found->second);
    });
  return last;
}

std::set<std::string> recorded_names(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& log : log_streams(folder))
    log.each_row([&](const LoggedRow& row) {
      for (const auto& [name, value] : row.records)
        names.insert(name);
    });
  return names;
}

} // namespace troupe
