#include "apps/why/measured_run.hpp"

#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "apps/folder/find_logs.hpp"
#include "base/failure.hpp"
#include "base/text/number_in.hpp"
#include "extensions/support/extension_kind.hpp"
#include "messages/log/log_line.hpp"

#include <fstream>
#include <map>

namespace troupe {

namespace {

namespace fs = std::filesystem;

/// What a log says of its last start.
struct LogTimes {
  std::map<WorkerId, Records> status;
  bool ended = false;

  void take(const LogLine& line) {
    if (std::holds_alternative<LoggedStart>(line))
      *this = {};
    else if (std::holds_alternative<LoggedEnd>(line))
      ended = true;
    else if (const auto* one = std::get_if<WriteStatus>(&line))
      for (const auto& [name, value] : one->records)
        status[one->worker][name] = value;
  }
};

LogTimes times_in(const fs::path& file) {
  LogTimes times;
  std::ifstream log{file};
  for (std::string line; std::getline(log, line);)
    if (!is_row(line))
      times.take(read_log_line(line));
  return times;
}

config::Node configuration_or_none(const fs::path& file) {
  try {
    return config::read_yaml_file(file);
  } catch (const Failure&) {
    return config::Node::map(); // the run is told without the kinds of its extensions
  }
}

GateKind kind_of_type(const std::string& type) {
  if (has_hook(type, &RunHooks<>::shares))
    return GateKind::sharing;
  if (has_hook(type, &RunHooks<>::measures))
    return GateKind::evaluation;
  if (has_hook(type, &RunHooks<>::saves_run) || has_hook(type, &RunHooks<>::best_state))
    return GateKind::checkpoint;
  return GateKind::plain;
}

/// Whether a worker has trained long enough to have written its times, so that an earlier version
/// has written this log.
bool has_trained(const Records& status) {
  const auto found = status.find("training_finished");
  return found != status.end() && truthy(found->second);
}

[[noreturn]] void refuse_without_times(const fs::path& run, bool trained) {
  throw DataError(
    "the log of '" + run.string() + "' does not say what its time went to: "
    + (trained ? "an earlier version of Troupe has written it; train again"
               : "a run writes that after its first epoch, and every ten seconds of a longer one; "
                 "wait until then"));
}

} // namespace

GateKinds kinds_of_gates(const fs::path& configuration) {
  std::map<std::string, GateKind> kinds;
  const auto tree = configuration_or_none(configuration);
  if (const auto* extensions = config::get(tree, {"extensions"}))
    for (const auto& [name, section] : extensions->entries()) {
      const auto type = config::text_at(section, {"type"});
      kinds[name] = kind_of_type(type.empty() ? name : type);
    }
  return [kinds](const std::string& gate) {
    const auto found = kinds.find(gate);
    if (found != kinds.end())
      return found->second;
    const auto of_trainer = gate.ends_with("_validation"); // full or partial
    return of_trainer ? GateKind::evaluation : kind_of_type(gate);
  };
}

ReadRun read_measured_run(const fs::path& run) {
  ReadRun read;
  auto trained = false;
  for (const auto& file : log_files(run)) {
    const auto times = times_in(file);
    const auto folder = fs::absolute(file).parent_path();
    const auto kinds = kinds_of_gates(folder / "config.yaml");
    for (const auto& [worker, status] : times.status) {
      trained = trained || has_trained(status);
      if (const auto spent = spent_time_in(status)) {
        read.measured.workers.push_back(measured_worker(worker, *spent, kinds));
        read.ended = read.ended && times.ended;
        read.configuration = folder / "config.yaml";
      } else {
        read.remarks.push_back("worker " + std::to_string(worker)
                               + " has no times yet and is left out");
      }
    }
  }
  if (read.measured.workers.empty())
    refuse_without_times(run, trained);
  const auto tree = configuration_or_none(read.configuration);
  read.measured.batch_size
    = number_in<Step>(config::text_at(tree, {"training", "batch_size"})).value_or(0);
  const auto ahead = config::text_at(tree, {"training", "loader", "ahead"});
  read.ahead = !ahead.empty() && ahead != "0";
  count_waits_for_states(read.measured);
  count_queues(read.measured);
  return read;
}

} // namespace troupe
