#include "apps/log_printing/log_printer.hpp"

#include "base/failure.hpp"
#include "base/text/nearest_name.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

LogPrinter::LogPrinter(const FoundLogs& logs, const RowFormat& format, bool merge,
                       std::ostream& rows, std::ostream& notes)
  : merge_(merge),
    rows_(rows),
    notes_(notes) {
  for (const auto& found : logs)
    logs_.push_back({found, {found.name, format}, logs_.size()});
}

void LogPrinter::print_new_rows(bool growing) {
  if (merge_)
    merge_pieces();
  for (auto& log : logs_) {
    log_ = &log;
    auto& source = *log.found.source;
    source.poll(*this, growing);
    note_starts();
    rows_ << std::exchange(lines_, {});
    // Only the first line of a log may be half written.
    if (log.taken == 0 && source.damaged() > 1 && source.head().starts().empty())
      throw DataError("'" + log.found.name + "' is not the log of a run: none of its "
                      + std::to_string(source.damaged())
                      + " lines is a row of one; give a run's folder, or its log.jsonl");
  }
  merger_.print("", rows_);
  rows_.flush();
}

bool LogPrinter::all_ended() const {
  return std::all_of(logs_.begin(), logs_.end(),
                     [](const auto& log) { return log.found.source->head().ended(); });
}

void LogPrinter::note_absent(const std::vector<std::string>& records) const {
  for (const auto& record : records)
    if (!names_.contains(record))
      notes_ << "troupe: no row has a record '" << record << "'"
             << suggestion(record, {names_.begin(), names_.end()}) << '\n';
}

void LogPrinter::take(const ScannedRow& row, std::uint64_t, std::uint64_t, bool counts) {
  for (const auto& record : row.records)
    if (!names_.contains(record.name))
      names_.emplace(record.name);
  if (!counts)
    return;
  note_starts();
  ++log_->taken;
  log_->last_time = row.time;
  log_->formatter.append(lines_, row);
  constexpr std::size_t piece = std::size_t{1} << 16;
  if (merge_ && !lines_.empty())
    merger_.add(log_->last_time, log_->place, std::exchange(lines_, {}));
  else if (lines_.size() >= piece)
    rows_ << std::exchange(lines_, {});
}

void LogPrinter::note_starts() {
  const auto& starts = log_->found.source->head().starts();
  const auto before = std::exchange(log_->starts, starts.size());
  if (log_->taken > 0 && log_->starts > before && !starts.back().start.resumed_from.empty())
    notes_ << "troupe: '" << log_->found.name
           << "' continues from a checkpoint; rows above that are later than it are repeated\n";
}

/// Merges long logs without having all of their lines in memory: the log that is behind is read
/// next, and what is earlier than all that may still come is printed.
void LogPrinter::merge_pieces() {
  constexpr std::uint64_t piece = std::uint64_t{1} << 18;
  std::vector<PrintedLog*> unread;
  for (auto& log : logs_)
    unread.push_back(&log);
  while (!unread.empty()) {
    const auto behind
      = std::min_element(unread.begin(), unread.end(),
                         [](const auto* a, const auto* b) { return a->last_time < b->last_time; });
    log_ = *behind;
    if (!log_->last_time.empty())
      merger_.print(log_->last_time, rows_);
    auto& source = *log_->found.source;
    const auto before = source.position();
    source.poll(*this, true, piece);
    if (source.position() == before)
      unread.erase(behind);
  }
}

} // namespace troupe
