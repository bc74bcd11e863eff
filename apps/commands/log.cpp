#include "apps/commands/log.hpp"

#include "actors/log/log_store.hpp"
#include "actors/log/record_file.hpp"
#include "actors/log/store_writer.hpp"
#include "apps/folder/find_logs.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/log_printing/log_printer.hpp"
#include "apps/process/standard_streams.hpp"
#include "apps/run_index/mlflow.hpp"
#include "base/failure.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <deque>
#include <iostream>

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
  LogPrinter printer{logs, command.rows, command.merge, std::cout, std::cerr};
  if (command.follow)
    catch_interrupts();
  if (command.rows.csv)
    std::cout << RowFormatter::csv_header;
  printer.print_new_rows(command.follow);
  while (command.follow && !printer.all_ended() && following_was_interrupted == 0 && std::cout) {
    wait_a_moment();
    exit_if_output_closed();
    printer.print_new_rows(true);
  }
  printer.note_absent(command.rows.records);
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
      && (!command.store.empty() || command.merge || command.rows.csv || command.json
          || command.lineage || !command.rows.records.empty()))
    throw UsageError("--copy-to can only be combined with --follow; omit the other options");
  if (!command.copy_to.empty() && command.runs.empty())
    throw UsageError("--copy-to needs a run: its folder, or 'latest'");
  if (command.runs.empty() && command.store.empty())
    throw UsageError(
      "troupe log needs a run: its folder, or 'latest'; or --store for the runs of a store");
  if (command.json && command.rows.csv)
    throw UsageError("--json and --csv exclude each other; omit one");
  if (command.lineage && (command.rows.csv || command.follow))
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
  log->add_option("--record", command.rows.records, "print only this record; may be repeated")
    ->allow_extra_args(false);
  log->add_flag("--csv", command.rows.csv,
                "print a CSV line for each record instead of JSON lines");
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
