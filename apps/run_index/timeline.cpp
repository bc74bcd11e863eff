#include "apps/run_index/timeline.hpp"

#include "apps/plots/abscissa.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

/// Threads of a worker in the trace: its training, and its saver, whose spans overlap with it.
std::uint32_t training_thread(WorkerId worker) { return 2 * worker + 1; }
std::uint32_t saver_thread(WorkerId worker) { return 2 * worker + 2; }

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
  return json;
}

Json name_of_thread(const char* kind, const std::string& name, std::size_t process,
                    std::uint32_t thread) {
  return {
    {"name", kind}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

} // namespace

void TimelineTaker::take(const ScannedRow& row, std::uint64_t, std::uint64_t, bool counts) {
  const auto time = 1e6 * unix_time_of(std::string{row.time});
  if (!counts || !std::isfinite(time))
    return;
  threads_.try_emplace(training_thread(row.worker), "worker " + std::to_string(row.worker));
  take_epoch(row, time);
  take_times(row, time);
  take_records(row, time);
}

void TimelineTaker::take_epoch(const ScannedRow& row, double time) {
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

void TimelineTaker::take_times(const ScannedRow& row, double time) {
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

void TimelineTaker::take_records(const ScannedRow& row, double time) {
  const auto point = [&](const std::string& name, const std::string& text) {
    events_.push_back({'i', name, time, 0, training_thread(row.worker), {}, text});
  };
  auto evaluation = false;
  for (const auto& [name, text, value, is_text] : row.records) {
    if (name == "checkpoint_seconds" && std::isfinite(value)) {
      threads_.try_emplace(saver_thread(row.worker),
                           "saver of worker " + std::to_string(row.worker));
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

void TimelineTaker::take_other(std::string_view line) {
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

void TimelineTaker::take_spent(WorkerId number, const SpentTime& spent, double time) {
  std::map<std::string, double> now{{"reading", spent.reading},
                                    {"gradient", spent.gradient},
                                    {"update", spent.update},
                                    {"between batches", spent.between()},
                                    {"held", spent.held}};
  for (const auto& [name, gate] : spent.gates)
    now["gate " + name] += gate.seconds;
  threads_.try_emplace(training_thread(number), "worker " + std::to_string(number));
  auto& before = workers_[number].spent;
  TraceEvent event{'C', "seconds since the last status", time, 0, training_thread(number), {}, ""};
  for (const auto& [name, seconds] : now)
    event.values[name] = std::max(0.0, seconds - before[name]);
  before = std::move(now);
  events_.push_back(std::move(event));
}

std::string trace_of(const std::vector<TracedLog>& logs) {
  std::vector<TimelineTaker> takers(logs.size());
  auto first = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < logs.size(); ++i) {
    LogReader reader{logs[i].file};
    reader.poll(takers[i]);
    for (const auto& event : takers[i].events())
      first = std::min(first, event.begin);
  }
  auto events = Json::array();
  for (std::size_t i = 0; i < logs.size(); ++i) {
    events.push_back(name_of_thread("process_name", logs[i].name, i + 1, 0));
    for (const auto& [thread, name] : takers[i].threads())
      events.push_back(name_of_thread("thread_name", name, i + 1, thread));
    for (const auto& event : takers[i].events())
      events.push_back(json_of_event(event, i + 1, first));
  }
  return Json{{"displayTimeUnit", "ms"},
              {"traceEvents", std::move(events)},
              {"otherData",
               {{"clock", "the wall clock of each machine"},
                {"missing",
                 {"spans of single steps, gates and syncs: the log keeps their sums, of each epoch "
                  "or ten seconds",
                  "messages: the log does not hold them",
                  "the length of evaluations: the log has the moment of their end"}}}}}
    .dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace troupe
