#include "apps/folder/logged_values.hpp"

#include "apps/folder/find_logs.hpp"
#include "apps/folder/log_reader.hpp"
#include "messages/evaluation/undefined_metrics.hpp"

#include <limits>

namespace troupe {

namespace {

void each_row_of_run(const std::filesystem::path& run, const VisitRow& visit) {
  for (const auto& file : log_files(run)) {
    LogReader log{file};
    each_row(log, visit);
  }
}

} // namespace

void each_row(LogSource& log, const VisitRow& visit) {
  RowVisitor counted{[&](const ScannedRow& row, std::uint64_t, bool counts) {
    if (counts && !row.records.empty())
      visit(logged_row(row));
  }};
  log.poll(counted, false);
}

void read_logged_rows(const std::filesystem::path& path, const TakeLoggedRow& take) {
  each_row_of_run(std::filesystem::is_directory(path) ? path : path.parent_path(),
                  [&take](const LoggedRow& row) {
                    take({row.row, row.epoch, row.seconds, row.records, ""});
                  });
}

double last_record(const std::filesystem::path& folder, const std::string& name) {
  auto last = std::numeric_limits<double>::quiet_NaN();
  each_row_of_run(folder, [&](const LoggedRow& row) {
    if (const auto found = row.records.find(name);
        found != row.records.end() && !is_undefined(row.records, name))
      last = number_of(found->second);
  });
  return last;
}

std::set<std::string> recorded_names(const std::filesystem::path& folder) {
  std::set<std::string> names;
  each_row_of_run(folder, [&](const LoggedRow& row) {
    for (const auto& [name, value] : row.records)
      names.insert(name);
  });
  return names;
}

} // namespace troupe
