#include "apps/run_index/trace.hpp"

#include "apps/plots/abscissa.hpp"
#include "apps/run_index/step_events.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<const char*, const char*>, 3> time_records{
  {{"time_read_data_total", "reading"},
   {"time_train_total", "steps"},
   {"time_gates_total", "gates"}}};

Json json_of_event(const TraceEvent& event, std::size_t process, double first) {
  Json json{{"name", event.name},
            {"ph", std::string(1, event.phase)},
            {"ts", event.begin - first},
            {"pid", process},
            {"tid", event.thread}};
  if (event.phase == 'X')
    json["dur"] = event.length;
  if (event.phase == 'C')
    json["args"] = event.values;
  if (event.phase == 'i') {
    json["s"] = "t";
    json["args"] = {{"text", event.text}};
  }
  if (event.phase == 's' || event.phase == 'f') {
    json["cat"] = "message";
    json["id"] = event.arrow;
  }
  if (event.phase == 'f')
    json["bp"] = "e"; // it ends at the span around it, not at the next one
  return json;
}

Json naming(const char* kind, const std::string& name, std::size_t process, std::uint32_t thread) {
  return {
    {"name", kind}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

/// A process of the trace.
struct TracedProcess {
  std::string name;
  std::vector<TraceEvent> events;
  bool is_holder = false; ///< its threads are the pushes of workers
};

double first_moment(const std::vector<TracedProcess>& processes) {
  auto first = std::numeric_limits<double>::infinity();
  for (const auto& process : processes)
    for (const auto& event : process.events)
      first = std::min(first, event.begin);
  return first;
}

Json json_of_processes(const std::vector<TracedProcess>& processes) {
  const auto first = first_moment(processes);
  auto json = Json::array();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto& process = processes[i];
    json.push_back(naming("process_name", process.name, i + 1, 0));
    std::set<std::uint32_t> threads;
    for (const auto& event : process.events)
      threads.insert(event.thread);
    for (const auto thread : threads)
      json.push_back(naming("thread_name",
                            process.is_holder ? name_of_pushes(thread) : name_of_thread(thread),
                            i + 1, thread));
    for (const auto& event : process.events)
      json.push_back(json_of_event(event, i + 1, first));
  }
  return json;
}

Json json_of_clocks(const std::vector<TracedLog>& logs, const std::vector<MemberClock>& clocks) {
  auto json = Json::array();
  for (std::size_t i = 0; i < logs.size(); ++i)
    if (clocks[i].is_measured())
      json.push_back({{"process", logs[i].name},
                      {"shift_seconds", clocks[i].shift},
                      {"within_seconds", clocks[i].within}});
  return json;
}

} // namespace

void LogEvents::take(const ScannedRow& row, std::uint64_t, std::uint64_t, bool counts) {
  const auto time = 1e6 * unix_time_of(std::string{row.time});
  if (!counts || !std::isfinite(time))
    return;
  take_epoch(row, time);
  take_times(row, time);
  take_records(row, time);
}

void LogEvents::take_epoch(const ScannedRow& row, double time) {
  auto& worker = workers_[row.worker];
  if (!std::exchange(worker.begun, true)) {
    worker.epoch_began = time;
    worker.epochs = row.epoch;
  }
  if (row.epoch <= worker.epochs)
    return;
  const auto several = row.epoch > worker.epochs + 1;
  const auto name
    = several ? "epochs " + std::to_string(worker.epochs + 1) + " to " + std::to_string(row.epoch)
              : "epoch " + std::to_string(row.epoch);
  events_.push_back({'X',
                     name,
                     worker.epoch_began,
                     std::max(0.0, time - worker.epoch_began),
                     training_thread(row.worker),
                     {},
                     ""});
  worker.epoch_began = std::max(time, worker.epoch_began);
  worker.epochs = row.epoch;
}

void LogEvents::take_times(const ScannedRow& row, double time) {
  TraceEvent event{'C', "seconds since the last row", time, 0, training_thread(row.worker), {}, ""};
  for (const auto& [record, part] : time_records)
    for (const auto& [name, text, value, is_text] : row.records)
      if (name == record && std::isfinite(value)) {
        auto& total = workers_[row.worker].totals[part];
        event.values[part] = value - total;
        total = value;
      }
  if (!event.values.empty())
    events_.push_back(std::move(event));
}

void LogEvents::take_records(const ScannedRow& row, double time) {
  const auto point = [&](const std::string& name, const std::string& text) {
    events_.push_back({'i', name, time, 0, training_thread(row.worker), {}, text});
  };
  auto evaluation = false;
  for (const auto& [name, text, value, is_text] : row.records) {
    if (name == "checkpoint_seconds" && std::isfinite(value)) {
      events_.push_back({'X',
                         "checkpoint at batch " + std::to_string(row.batch),
                         time - 1e6 * value,
                         1e6 * value,
                         saver_thread(row.worker),
                         {},
                         ""});
    }
    evaluation = evaluation || name == "validation_loss" || name == "test_loss";
    if (name == "control" && is_text)
      point("control", std::string{text});
  }
  if (evaluation)
    point("evaluation", "of batch " + std::to_string(row.batch));
}

void LogEvents::take_other(std::string_view line) {
  const auto read = read_log_line(line);
  if (std::holds_alternative<LoggedStart>(read)) // the times of a status are those since it
    for (auto& [number, worker] : workers_)
      worker.spent.clear();
  const auto* status = std::get_if<WriteStatus>(&read);
  const auto spent = status == nullptr ? std::nullopt : spent_time_in(status->records);
  if (!spent)
    return;
  const auto json = Json::parse(line, nullptr, false);
  const auto time = json.find("time");
  if (time == json.end() || !time->is_string())
    return;
  if (const auto seconds = unix_time_of(time->get<std::string>()); std::isfinite(seconds))
    take_spent(status->worker, *spent, 1e6 * seconds);
}

void LogEvents::take_spent(WorkerId number, const SpentTime& spent, double time) {
  std::map<std::string, double> now{{"reading", spent.reading},
                                    {"gradient", spent.gradient},
                                    {"update", spent.update},
                                    {"between batches", spent.between()},
                                    {"held", spent.held}};
  for (const auto& [name, gate] : spent.gates)
    now["gate " + name] += gate.seconds;
  auto& before = workers_[number].spent;
  TraceEvent event{'C', "seconds since the last status", time, 0, training_thread(number), {}, ""};
  for (const auto& [name, seconds] : now)
    event.values[name] = std::max(0.0, seconds - before[name]);
  before = std::move(now);
  events_.push_back(std::move(event));
}

std::string trace_of(const std::vector<TracedLog>& logs) {
  std::vector<TracedProcess> processes;
  std::vector<std::vector<StepTrace>> steps;
  for (const auto& log : logs) {
    LogReader reader{log.file};
    LogEvents events;
    reader.poll(events);
    processes.push_back({log.name, events.take_events()});
    steps.push_back(step_traces_in(log.file.parent_path()));
  }
  auto traced = step_events(steps);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    for (auto& event : processes[i].events)
      event.begin += 1e6 * traced.clocks[i].shift;
    std::move(traced.of_members[i].begin(), traced.of_members[i].end(),
              std::back_inserter(processes[i].events));
  }
  if (!traced.of_holder.empty())
    processes.push_back({"parameter holder", std::move(traced.of_holder), true});
  const auto any_steps
    = std::any_of(steps.begin(), steps.end(), [](const auto& one) { return !one.empty(); });
  Json other{{"clock", "the parameter holder's where a worker has traced an exchange with it, else "
                       "the wall clock of each machine"},
             {"clocks", json_of_clocks(logs, traced.clocks)}};
  if (!any_steps)
    other["missing"]
      = "spans of single steps, gates and messages: the extension trace records them";
  return Json({{"displayTimeUnit", "ms"},
               {"traceEvents", json_of_processes(processes)},
               {"otherData", std::move(other)}})
    .dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace troupe
