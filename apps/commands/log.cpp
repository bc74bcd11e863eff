#include "apps/commands/log.hpp"

#include "actors/log/log_store.hpp"
#include "actors/log/record_file.hpp"
#include "actors/log/store_writer.hpp"
#include "apps/folder/find_logs.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/process/standard_streams.hpp"
#include "apps/run_index/mlflow.hpp"
#include "base/failure.hpp"
#include "base/text/csv_field.hpp"
#include "base/text/nearest_name.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

volatile sig_atomic_t following_was_interrupted = 0;

void interrupt_following(int) { following_was_interrupted = 1; }

/// Ctrl-C ends `--follow` instead of the program.
void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = interrupt_following; // without SA_RESTART: it interrupts the sleep
  sigaction(SIGINT, &action, nullptr);
}

/// A text as JSON, in quotes.
std::string json_text(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append_csv(std::string& line, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos)
    line += field;
  else
    line += csv_field(std::string{field});
}

/// Writes rows as lines, without a tree of JSON for each.
class RowLines {
public:
  explicit RowLines(const LogCommand& command)
    : csv_(command.csv),
      wanted_(command.records.begin(), command.records.end()) {}

  /// Appends the lines of a row, none if it has no wanted record.
  void append(std::string& lines, const std::string& log, const ScannedRow& row) {
    if (csv_)
      return append_csv_lines(lines, log, row);
    if (wanted_.empty() && !row.line.empty()) { // it is written as it is printed
      if (!row.records.empty())
        ((lines += begin_of(log)) += row.line.substr(1)) += '\n';
      return;
    }
    std::string records;
    for (const auto& record : row.records)
      if (is_wanted(record)) {
        const auto is_json = !record.is_text && std::isfinite(record.number);
        ((records += records.empty() ? "" : ",") += json_text(record.name)) += ':';
        records += is_json ? std::string{record.text} : json_text(record.text);
      }
    if (records.empty())
      return;
    ((lines += begin_of(log)) += "\"run\":") += json_text(row.run);
    (lines += ",\"worker\":") += std::to_string(row.worker);
    (lines += ",\"batch\":") += std::to_string(row.batch);
    (lines += ",\"epoch\":") += std::to_string(row.epoch);
    (lines += ",\"seconds\":") += row.seconds_text;
    (lines += ",\"time\":") += json_text(row.time);
    ((lines += ",\"records\":{") += records) += "}}\n";
  }

private:
  bool is_wanted(const ScannedRecord& record) const {
    return wanted_.empty() || wanted_.contains(record.name);
  }

  /// {"log":"worker-0",
  const std::string& begin_of(const std::string& log) {
    auto& begin = begins_[log];
    if (begin.empty())
      begin = "{\"log\":" + json_text(log) + ",";
    return begin;
  }

  void append_csv_lines(std::string& lines, const std::string& log, const ScannedRow& row) {
    row_fields_.clear();
    append_csv(row_fields_, row.time);
    append_csv(row_fields_ += ',', log);
    for (const std::uint64_t count : {std::uint64_t{row.worker}, row.batch, row.epoch}) {
      const fmt::format_int digits{count};
      (row_fields_ += ',').append(digits.data(), digits.size());
    }
    ((row_fields_ += ',') += row.seconds_text) += ',';
    for (const auto& record : row.records) {
      if (!is_wanted(record))
        continue;
      append_csv(lines += row_fields_, record.name);
      append_csv(lines += ',', record.text);
      lines += '\n';
    }
  }

  bool csv_;
  std::set<std::string, std::less<>> wanted_;
  std::map<std::string, std::string> begins_;
  std::string row_fields_; ///< the first fields of each of a row's lines
};

/// Prints the rows of one log, or keeps their lines to be merged with others.
class PrintedLog : private LogTaker {
public:
  PrintedLog(const FoundLog& found, RowLines& lines, bool merged)
    : found_(found),
      lines_(lines),
      merged_(merged) {}

  struct KeptLines {
    std::string time, lines;
  };
  /// Reads some of the new rows, to be merged. @returns whether there were any
  bool read_piece() {
    constexpr std::uint64_t piece = std::uint64_t{1} << 18;
    const auto before = source().position();
    found_.source->poll(*this, true, piece);
    return source().position() != before;
  }

  void print_new_rows(bool growing) {
    found_.source->poll(*this, growing);
    note_starts();
    print();
    if (taken_ == 0 && source().damaged() > 1 && source().head().starts().empty())
      refuse_other_file();
  }
  /// Moves the lines of rows before that time, all if it is "".
  void move_lines(const std::string& before, std::vector<KeptLines>& to) {
    const auto stays = [&](const auto& kept) { return !before.empty() && kept.time >= before; };
    const auto end = std::stable_partition(kept_.begin(), kept_.end(), std::not_fn(stays));
    std::move(kept_.begin(), end, std::back_inserter(to));
    kept_.erase(kept_.begin(), end);
  }
  const std::string& last_time() const { return last_time_; } ///< of its rows so far; "": none

  const LogSource& source() const { return *found_.source; }
  const std::set<std::string, std::less<>>& names() const { return names_; } ///< of records

private:
  bool restart() override { return false; } // what was printed stays

  void take(const ScannedRow& row, std::uint64_t, std::uint64_t, bool counts) override {
    for (const auto& record : row.records)
      if (!names_.contains(record.name))
        names_.emplace(record.name);
    if (!counts)
      return;
    note_starts();
    ++taken_;
    lines_.append(text_, found_.name, row);
    if (merged_) {
      last_time_ = row.time;
      if (!text_.empty())
        kept_.push_back({last_time_, std::exchange(text_, {})});
    }
    constexpr std::size_t piece = std::size_t{1} << 16;
    if (text_.size() >= piece)
      print();
  }

  void print() {
    std::cout.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  void note_starts() {
    const auto& starts = source().head().starts();
    const auto before = std::exchange(starts_, starts.size());
    if (taken_ == 0 || starts_ <= before || starts.back().start.resumed_from.empty())
      return;
    std::cerr << "troupe: '" << found_.name
              << "' continues from a checkpoint; rows above that are later than it are repeated\n";
  }

  /// Only the first line of a log may be half written.
  [[noreturn]] void refuse_other_file() const {
    throw DataError("'" + found_.name + "' is not the log of a run: none of its "
                    + std::to_string(source().damaged())
                    + " lines is a row of one; give a run's folder, or its log.jsonl");
  }

  const FoundLog& found_;
  RowLines& lines_;
  bool merged_;
  std::string text_; ///< not printed yet
  std::vector<KeptLines> kept_;
  std::string last_time_;
  std::set<std::string, std::less<>> names_;
  std::size_t taken_ = 0, starts_ = 0;
};

class LogPrinter {
public:
  LogPrinter(const FoundLogs& logs, const LogCommand& command)
    : command_(command),
      lines_(command) {
    for (const auto& log : logs)
      logs_.emplace_back(log, lines_, command.merge);
  }

  void print_header() const {
    if (command_.csv)
      std::cout << "time,log,worker,batch,epoch,seconds,record,value\n";
  }

  /// Prints the rows since the last call and forgets them, so that following a run for days takes
  /// no memory.
  void print_new_rows(bool growing) {
    if (command_.merge)
      print_in_pieces();
    for (auto& log : logs_)
      log.print_new_rows(growing);
    print_merged("");
    std::cout.flush();
  }

  bool all_ended() const {
    return std::all_of(logs_.begin(), logs_.end(),
                       [](const auto& log) { return log.source().head().ended(); });
  }

  void warn_of_absent_records() const {
    std::set<std::string> names;
    for (const auto& log : logs_)
      names.insert(log.names().begin(), log.names().end());
    for (const auto& record : command_.records)
      if (!names.count(record))
        std::cerr << "troupe: no row has a record '" << record << "'"
                  << suggestion(record, {names.begin(), names.end()}) << '\n';
  }

private:
  /// Merges long logs without having all of their lines in memory: the log that is behind is read
  /// next, and what is earlier than all that may still come is printed.
  void print_in_pieces() {
    std::vector<PrintedLog*> unread;
    for (auto& log : logs_)
      unread.push_back(&log);
    while (!unread.empty()) {
      const auto behind
        = std::min_element(unread.begin(), unread.end(), [](const auto* a, const auto* b) {
            return a->last_time() < b->last_time();
          });
      if (!(*behind)->last_time().empty())
        print_merged((*behind)->last_time());
      if (!(*behind)->read_piece())
        unread.erase(behind);
    }
  }

  /// @param before rows of that time or later are left; "": none are
  void print_merged(const std::string& before) {
    std::vector<PrintedLog::KeptLines> merged;
    for (auto& log : logs_)
      log.move_lines(before, merged);
    std::stable_sort(merged.begin(), merged.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    for (const auto& [time, lines] : merged)
      std::cout << lines;
  }

  const LogCommand& command_;
  RowLines lines_;
  std::deque<PrintedLog> logs_;
};

void wait_a_moment() {
  const timespec moment{0, 100'000'000};
  nanosleep(&moment, nullptr);
}

void print_start(const std::string& log, const LoggedStart& logged, bool json) {
  const auto& start = logged.start;
  Json at = Json::object();
  std::string where;
  for (const auto& [worker, batch] : start.resumed_at) {
    at[std::to_string(worker)] = batch;
    where += (where.empty() ? "" : ", ") + ("worker " + std::to_string(worker)) + " at batch "
             + std::to_string(batch);
  }
  if (json)
    std::cout << json_line({{"log", log},
                            {"id", start.id},
                            {"resumed_from", start.resumed_from},
                            {"resumed_at", at},
                            {"time", logged.time}});
  else
    std::cout << logged.time << "  " << start.id << "  " << log
              << (start.resumed_from.empty() ? "" : "  resumed from " + start.resumed_from)
              << (where.empty() ? "" : ", " + where) << '\n';
}

void print_lineage(const FoundLogs& logs, bool json) {
  RowVisitor ignored{[](const ScannedRow&, std::uint64_t, bool) {}};
  for (const auto& [name, source] : logs) {
    source->poll(ignored, false);
    for (const auto& start : source->head().starts())
      print_start(name, start, json);
    if (source->head().starts().empty())
      std::cerr << "troupe: the log '" << name
                << "' has no lineage: an older version of troupe wrote it\n";
  }
}

void print_rows(const FoundLogs& logs, const LogCommand& command) {
  LogPrinter printer{logs, command};
  if (command.follow)
    catch_interrupts();
  printer.print_header();
  printer.print_new_rows(command.follow);
  while (command.follow && !printer.all_ended() && following_was_interrupted == 0 && std::cout) {
    wait_a_moment();
    exit_if_output_closed();
    printer.print_new_rows(true);
  }
  printer.warn_of_absent_records();
}

void warn_of_damage(const FoundLogs& logs) {
  std::size_t damaged = 0;
  std::string first;
  for (const auto& [name, source] : logs) {
    damaged += source->damaged();
    if (first.empty())
      first = source->first_damaged();
  }
  if (damaged > 0)
    std::cerr << "troupe: " << skipped_lines(damaged) << "; the first is " << first << '\n';
}

int list_store(const LogCommand& command) {
  LogStore store{command.store, LogStore::Access::read};
  for (const auto& log : store.logs())
    if (command.json)
      std::cout << json_line({{"id", log.start.id},
                              {"name", log.name},
                              {"resumed_from", log.start.resumed_from},
                              {"started", log.started},
                              {"ended", log.ended}});
    else
      std::cout << log.started << "  " << log.start.id << "  " << log.name
                << (log.start.resumed_from.empty() ? ""
                                                   : "  resumed from " + log.start.resumed_from)
                << (log.ended.empty() ? "  not ended" : "") << '\n';
  std::cout.flush();
  return static_cast<int>(ExitCode::done);
}

/// Adds to a store what it lacks of the logs of runs. A store that is away is tried again when
/// following, since the logs keep what it lacks.
int copy_logs(const LogCommand& command) {
  std::deque<StoreWriter> logs;
  for (const auto& run : command.runs)
    for (const auto& file : log_files(path_of_run(run)))
      logs.emplace_back(command.copy_to, file);
  const auto copy = [&](StoreWriter& log) {
    do {
      if (const auto refusal = log.flush(std::chrono::milliseconds{2000}); !refusal.empty()) {
        if (!command.follow)
          throw IoError(refusal);
        std::cerr << "troupe: " << refusal << ". It is tried again" << std::endl;
      }
    } while (log.behind() && following_was_interrupted == 0);
  };
  const auto ended = [](const StoreWriter& log) { return log.ended(); };
  if (command.follow)
    catch_interrupts();
  for (;;) {
    std::for_each(logs.begin(), logs.end(), copy);
    if (!command.follow || following_was_interrupted != 0
        || std::all_of(logs.begin(), logs.end(), ended))
      break;
    wait_a_moment();
  }
  return static_cast<int>(ExitCode::done);
}

int export_to_mlflow(const LogCommand& command) {
  std::vector<std::filesystem::path> folders;
  for (const auto& run : command.runs)
    folders.push_back(path_of_run(run));
  std::size_t written = 0;
  for (const auto& run : find_run_folders(folders).runs)
    written += write_for_mlflow(run, command.mlflow) ? 1 : 0;
  if (written == 0)
    throw IoError("there is no run with a log in '" + folders.front().string()
                  + "'; give folders of runs, clusters or grids, or 'latest'");
  std::cout << written << (written == 1 ? " run is" : " runs are") << " in '" << command.mlflow
            << "', which `mlflow ui --backend-store-uri " << command.mlflow << "` shows"
            << std::endl;
  return static_cast<int>(ExitCode::done);
}

void check_command(const LogCommand& command) {
  if (!command.copy_to.empty()
      && (!command.store.empty() || command.merge || command.csv || command.json || command.lineage
          || !command.records.empty()))
    throw UsageError("--copy-to can only be combined with --follow; omit the other options");
  if (!command.copy_to.empty() && command.runs.empty())
    throw UsageError("--copy-to needs a run: its folder, or 'latest'");
  if (command.runs.empty() && command.store.empty())
    throw UsageError(
      "troupe log needs a run: its folder, or 'latest'; or --store for the runs of a store");
  if (command.json && command.csv)
    throw UsageError("--json and --csv exclude each other; omit one");
  if (command.lineage && (command.csv || command.follow))
    throw UsageError("--lineage can only be combined with --json; omit --csv and --follow");
}

} // namespace

void add_log(CLI::App& app, LogCommand& command) {
  auto* log = app.add_subcommand("log", "Print the logs of runs, also of running ones");
  log->add_option("runs", command.runs,
                  "folders of runs or of launched clusters, or 'latest'; with --store: names of "
                  "runs, or the first digits of a log's id");
  log->add_flag("--merge", command.merge, "sort the rows of all logs by time");
  log->add_flag("--follow,-f", command.follow,
                "print new rows until the runs have ended or Ctrl-C");
  log->add_option("--record", command.records, "print only this record; may be repeated")
    ->allow_extra_args(false);
  log->add_flag("--csv", command.csv, "print a CSV line for each record instead of JSON lines");
  log->add_flag("--json", command.json, "print JSON lines (the default for rows)");
  log->add_option("--store", command.store,
                  "read from this store (log.store.path) instead of folders; without runs: list "
                  "the store's logs");
  log->add_option("--copy-to", command.copy_to,
                  "a store, which gets what it lacks of the logs, instead of printing them. "
                  "With --follow until the runs have ended");
  log->add_option("--mlflow", command.mlflow,
                  "a folder, which gets files of runs, clusters and grids for `mlflow ui "
                  "--backend-store-uri`");
  log->add_flag(
    "--lineage", command.lineage,
    "print the starts of the runs: the id, and the log and batch each was resumed from");
  log->footer("\nExamples:\n  troupe log --merge runs/digits/mlp/2026-01-31T12-00-00Z\n"
              "  troupe log --merge --csv --record validation_loss run-a run-b\n"
              "  troupe log --follow --record training_loss latest\n"
              "  troupe log --store logs.sqlite\n"
              "  troupe log --copy-to logs.sqlite latest\n"
              "  troupe log --mlflow mlruns grids/digits latest\n"
              "  troupe log --lineage latest\n");
}

int print_logs(const LogCommand& command) {
  check_command(command);
  if (!command.copy_to.empty())
    return copy_logs(command);
  if (!command.mlflow.empty())
    return export_to_mlflow(command);
  if (command.runs.empty())
    return list_store(command);
  const auto logs = find_logs(command.runs, command.store);
  if (command.lineage)
    print_lineage(logs, command.json);
  else
    print_rows(logs, command);
  warn_of_damage(logs);
  std::cout.flush();
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
