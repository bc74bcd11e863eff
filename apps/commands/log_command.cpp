#include "apps/commands/log_command.hpp"

#include "actors/log/log_store.hpp"
#include "actors/log/record_file.hpp"
#include "actors/log/store_writer.hpp"
#include "apps/folder/log_source.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/process/standard_streams.hpp"
#include "apps/run_index/mlflow.hpp"
#include "base/exit_codes.hpp"
#include "base/files/data_error.hpp"
#include "base/text/csv_field.hpp"
#include "base/text/nearest_name.hpp"

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

std::string csv_value(const Json& value) {
  return csv_field(value.is_string() ? value.get<std::string>() : value.dump());
}

class LogPrinter {
public:
  LogPrinter(LogSources sources, const LogCommand& command)
    : sources_(std::move(sources)),
      command_(command),
      printed_(sources_.size(), false) {}

  void print_header() const {
    if (command_.csv)
      std::cout << "time,log,worker,batch,epoch,seconds,record,value\n";
  }

  /// Prints the rows since the last call and forgets them, so that following a run for days takes
  /// no memory.
  void print_new_rows(bool growing) {
    for (std::size_t log = 0; log < sources_.size(); ++log) {
      poll(log, growing);
      if (!command_.merge)
        print_and_forget(log, log + 1);
    }
    if (command_.merge)
      print_and_forget(0, sources_.size());
    std::cout.flush();
  }

  void print_lineage() {
    for (const auto& source : sources_) {
      source->poll(false);
      for (const auto& start : source->log().starts())
        print(source->name(), start);
      if (source->log().starts().empty())
        std::cerr << "troupe: the log '" << source->name()
                  << "' has no lineage: an older version of troupe wrote it\n";
    }
  }

  bool all_ended() const {
    return std::all_of(sources_.begin(), sources_.end(),
                       [](const auto& source) { return source->log().ended(); });
  }

  void warn() const {
    std::size_t damaged = 0;
    std::string first;
    std::set<std::string> names;
    for (const auto& source : sources_) {
      damaged += source->damaged();
      if (first.empty())
        first = source->first_damaged();
      names.insert(source->log().names().begin(), source->log().names().end());
    }
    if (damaged > 0)
      std::cerr << "troupe: " << skipped_lines(damaged) << "; the first is " << first << '\n';
    for (const auto& record : command_.records)
      if (!names.count(record))
        std::cerr << "troupe: no row has a record '" << record << "'"
                  << suggestion(record, {names.begin(), names.end()}) << '\n';
  }

private:
  void poll(std::size_t log, bool growing) {
    const auto starts = sources_[log]->log().starts().size();
    sources_[log]->poll(growing);
    if (!printed_[log])
      refuse_other_file(*sources_[log]);
    const auto& now = sources_[log]->log().starts();
    if (printed_[log] && now.size() > starts && !now.back().start.resumed_from.empty())
      std::cerr
        << "troupe: '" << sources_[log]->name()
        << "' continues from a checkpoint; rows above that are later than it are repeated\n";
  }

  /// Only the first line of a log may be half written.
  static void refuse_other_file(const LogSource& source) {
    if (source.damaged() > 1 && source.log().rows().empty() && source.log().starts().empty())
      throw DataError("'" + source.name() + "' is not the log of a run: none of its "
                      + std::to_string(source.damaged())
                      + " lines is a row of one; give a run's folder, or its log.jsonl");
  }

  void print_and_forget(std::size_t first, std::size_t last) {
    struct NewRow {
      std::size_t log;
      const LoggedRow* row;
    };
    std::vector<NewRow> rows;
    for (auto log = first; log < last; ++log)
      for (const auto& row : sources_[log]->log().rows())
        rows.push_back({log, &row});
    if (command_.merge)
      std::stable_sort(rows.begin(), rows.end(),
                       [](const NewRow& a, const NewRow& b) { return a.row->time < b.row->time; });
    for (const auto& [log, row] : rows) {
      print(sources_[log]->name(), *row);
      printed_[log] = true;
    }
    for (auto log = first; log < last; ++log)
      sources_[log]->forget_rows();
  }

  Records wanted(const Records& records) const {
    if (command_.records.empty())
      return records;
    Records result;
    for (const auto& name : command_.records)
      if (const auto found = records.find(name); found != records.end())
        result.insert(*found);
    return result;
  }

  void print(const std::string& log, const LoggedRow& row) const {
    const auto records = wanted(row.records);
    if (records.empty())
      return;
    if (!command_.csv) {
      std::cout << json_line({{"log", log},
                              {"run", row.run},
                              {"worker", row.row.worker},
                              {"batch", row.row.batch},
                              {"epoch", row.epoch},
                              {"seconds", row.seconds},
                              {"time", row.time},
                              {"records", json_of(records)}});
      return;
    }
    const auto fields = json_of(records);
    for (const auto& [name, value] : fields.items())
      std::cout << csv_field(row.time) << ',' << csv_field(log) << ',' << row.row.worker << ','
                << row.row.batch << ',' << row.epoch << ',' << Json(row.seconds).dump() << ','
                << csv_field(name) << ',' << csv_value(value) << '\n';
  }

  void print(const std::string& log, const LoggedStart& logged) const {
    const auto& start = logged.start;
    Json at = Json::object();
    std::string where;
    for (const auto& [worker, batch] : start.resumed_at) {
      at[std::to_string(worker)] = batch;
      where += (where.empty() ? "" : ", ") + ("worker " + std::to_string(worker)) + " at batch "
               + std::to_string(batch);
    }
    if (command_.json)
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

  LogSources sources_;
  const LogCommand& command_;
  std::vector<bool> printed_; ///< by log: whether any row was printed
};

int list_store(const LogCommand& command) {
  try {
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
  } catch (const StoreError& error) {
    throw IoError(error.what());
  }
  std::cout.flush();
  return static_cast<int>(ExitCode::done);
}

void wait_a_moment() {
  const timespec moment{0, 100'000'000};
  nanosleep(&moment, nullptr);
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
  LogPrinter printer{find_logs(command.runs, command.store), command};
  if (command.lineage) {
    printer.print_lineage();
  } else {
    if (command.follow)
      catch_interrupts();
    printer.print_header();
    printer.print_new_rows(command.follow);
    while (command.follow && !printer.all_ended() && following_was_interrupted == 0 && std::cout) {
      wait_a_moment();
      exit_if_output_closed();
      printer.print_new_rows(true);
    }
  }
  printer.warn();
  std::cout.flush();
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
