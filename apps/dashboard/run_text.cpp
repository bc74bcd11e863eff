#include "apps/dashboard/run_text.hpp"

#include "apps/folder/value_sources.hpp"
#include "base/text/number_in.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <unordered_map>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

/// Text of a configuration's value: without the quotes of JSON.
std::string plain_value(const RunEntry& run, const std::string& key) {
  const auto json = Json::parse(run.value_of(key), nullptr, false);
  return json.is_string() ? json.get<std::string>() : json.is_discarded() ? "" : json.dump();
}

double number_value(const RunEntry& run, const std::string& key) {
  return number_in<double>(run.value_of(key)).value_or(0);
}

/// The values that more than half of the runs share.
std::unordered_map<const std::string*, const std::string*> shared_values(const RunRows& runs) {
  std::unordered_map<const std::string*, std::unordered_map<const std::string*, std::size_t>> seen;
  for (const auto& run : runs)
    for (const auto& [key, value] : run->configuration)
      ++seen[key][value];
  std::unordered_map<const std::string*, const std::string*> shared;
  for (const auto& [key, values] : seen)
    for (const auto& [value, count] : values)
      if (2 * count > runs.size())
        shared[key] = value;
  return shared;
}

using ValuesByKey = std::unordered_map<const std::string*, const std::string*>;

/// The members of a run's configuration that differ from the shared ones; null for a missing one.
std::string own_values(const RunRow& run, const ValuesByKey& shared) {
  std::string config;
  std::set<const std::string*> lacking;
  for (const auto& [key, value] : shared)
    lacking.insert(key);
  const auto add = [&](const std::string& key, const std::string& value) {
    config += (config.empty() ? "" : ",") + Json(key).dump() + ":" + value;
  };
  for (const auto& [key, value] : run.configuration) {
    lacking.erase(key);
    if (const auto found = shared.find(key); found == shared.end() || found->second != value)
      add(*key, *value);
  }
  for (const auto* key : lacking)
    add(*key, "null");
  return config;
}

Json time_or_null(const std::string& time) { return time.empty() ? Json(nullptr) : Json(time); }

Json best_of(const BestValue& best) {
  return {{"value", number_or_null(best.value)}, {"batch", best.batch}, {"worker", best.worker}};
}

struct RunProgress {
  Step batches = 0;
  Epoch epochs = 0;
  double seconds = 0;
  std::string time;
};

/// Of the workers of a run together: the furthest of them.
RunProgress progress_of(const RunEntry& run) {
  RunProgress progress;
  for (const auto& [number, worker] : run.summary().workers()) {
    progress.batches = std::max(progress.batches, worker.batches);
    progress.epochs = std::max(progress.epochs, worker.epochs);
    progress.seconds = std::max(progress.seconds, worker.seconds);
    progress.time = std::max(progress.time, worker.time);
  }
  return progress;
}

Json share_done(const RunEntry& run, const RunProgress& progress) {
  const auto epochs = number_value(run, "training.epochs");
  const auto batches = number_value(run, "training.batches");
  auto share = 0.0;
  if (epochs > 0)
    share = static_cast<double>(progress.epochs) / epochs;
  if (batches > 0)
    share = std::max(share, static_cast<double>(progress.batches) / batches);
  return epochs > 0 || batches > 0 ? Json(std::min(share, 1.0)) : Json(nullptr);
}

Json configuration_list(const RunEntry& run, const std::map<std::string, std::string>& sources) {
  auto list = Json::array();
  for (const auto& [key, value] : run.configuration()) {
    const auto found = sources.find(*key);
    list.push_back({{"key", *key},
                    {"value", Json::parse(*value, nullptr, false)},
                    {"source", found == sources.end() ? "default" : found->second}});
  }
  return list;
}

Json acts_of(const RunEntry& run) {
  auto acts = Json::array();
  for (const auto& act : run.summary().acts())
    acts.push_back({{"batch", act.batch},
                    {"worker", act.worker},
                    {"time", act.time},
                    {"act", act.act},
                    {"by", act.by.empty() ? Json(nullptr) : Json(act.by)}});
  return acts;
}

Json starts_of(const RunLog& log) {
  auto starts = Json::array();
  for (const auto& [start, run, time] : log.starts()) {
    auto at = Json::object();
    for (const auto& [worker, batch] : start.resumed_at)
      at[std::to_string(worker)] = batch;
    starts.push_back(
      {{"id", start.id}, {"time", time}, {"resumed_from", start.resumed_from}, {"resumed_at", at}});
  }
  return starts;
}

Json json_of_value(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value))
    return *flag;
  if (const auto* count = std::get_if<std::int64_t>(&value))
    return *count;
  if (const auto* number = std::get_if<double>(&value))
    return number_or_null(*number);
  return std::get<std::string>(value);
}

Json worker_status(const RunEntry& run) {
  auto all = Json::object();
  for (const auto& [worker, progress] : run.summary().workers()) {
    auto status = Json::object();
    for (const auto& [name, value] : run.log().head().status(worker))
      status[name] = json_of_value(value);
    all[std::to_string(worker)] = std::move(status);
  }
  return all;
}

/// How the time of training was spent, as far as its log says: the extension `timing` writes it.
Json time_of(const RunEntry& run, const RunProgress& progress) {
  const auto& records = run.summary().records();
  const auto number = [&](const char* name) {
    const auto found = records.find(name);
    return found == records.end() ? std::nan("") : found->second.last;
  };
  auto parts = Json::array();
  const auto add = [&](const char* name, double seconds) {
    if (std::isfinite(seconds))
      parts.push_back({{"name", name}, {"seconds", seconds}});
  };
  add("initialization", number("time_initialization"));
  add("reading", number("time_read_data_total"));
  add("step", number("time_train_total"));
  add("gates", number("time_gates_total"));
  if (run.result().is_object() && run.result().contains("workers"))
    for (const auto& worker : run.result()["workers"])
      for (const auto& extension : worker.value("extensions", Json::array()))
        if (worker.value("worker", 0) == 0 && extension.value("waited_seconds", 0.0) > 0)
          parts.push_back({{"name", extension.value("name", "")},
                           {"seconds", extension.value("waited_seconds", 0.0)},
                           {"within", "gates"}});
  return {{"seconds", progress.seconds}, {"parts", parts}};
}

Json files_of(const RunEntry& run) {
  auto files = Json::array();
  for (const auto& name : listed_files(run.folder())) {
    struct stat status {};
    if (lstat((run.folder() / name).c_str(), &status) != 0)
      continue;
    files.push_back({{"name", name},
                     {"bytes", status.st_size},
                     {"changed", utc_time_text(static_cast<double>(status.st_mtime))},
                     {"shown", is_shown_file(name)},
                     {"picture", is_picture(name)}});
  }
  return files;
}

} // namespace

Json number_or_null(double value) {
  constexpr auto exact = 9007199254740992.0; // whole numbers up to it are written without a point
  if (std::fabs(value) < exact && value == std::trunc(value))
    return static_cast<std::int64_t>(value);
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string utc_time_text(double seconds) {
  const auto whole = static_cast<std::time_t>(std::floor(seconds));
  std::tm utc{};
  gmtime_r(&whole, &utc);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  const auto thousandths
    = std::to_string(1000 + static_cast<int>(1000 * (seconds - static_cast<double>(whole))));
  return text.data() + ("." + thousandths.substr(1)) + "Z";
}

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json table_row(const RunEntry& run) {
  const auto progress = progress_of(run);
  const auto& starts = run.log().head().starts();
  auto last = Json::object();
  auto best = Json::object();
  for (const auto& [name, record] : run.summary().records())
    if (record.choose) {
      last[name] = number_or_null(record.last);
      if (record.best)
        best[name] = best_of(*record.best);
    }
  const auto& found = run.found();
  return {{"id", run.id()},
          {"name", run.folder().filename().string()},
          {"folder", run.folder().string()},
          {"problem", plain_value(run, "problem.name")},
          {"model", plain_value(run, "model.name")},
          {"state", to_string(run.state())},
          {"reason", is_alive(run.state()) ? "" : run.reason()},
          {"began", starts.empty() ? Json(nullptr) : time_or_null(starts.front().time)},
          {"ended", is_alive(run.state()) ? Json(nullptr) : time_or_null(progress.time)},
          {"seconds", progress.seconds},
          {"workers", run.summary().workers().size()},
          {"batches", progress.batches},
          {"epochs", progress.epochs},
          {"progress", share_done(run, progress)},
          {"control", run.has_control() && is_alive(run.state())},
          {"last", std::move(last)},
          {"best", run.indexed() ? std::move(best) : Json(nullptr)},
          {"tags", run.tags()},
          {"grid", found.grid.empty() ? Json(nullptr) : Json(folder_id(found.grid))},
          {"cluster", found.cluster.empty() ? Json(nullptr) : Json(folder_id(found.cluster))}};
}

std::shared_ptr<const RunRow> row_of_run(const RunEntry& run) {
  auto row = std::make_shared<RunRow>();
  row->id = run.id();
  row->json = one_line(table_row(run));
  row->configuration = run.configuration();
  for (const auto& [name, record] : run.summary().records())
    if (record.choose)
      row->records.insert(name);
  row->state = run.state();
  row->found = run.found();
  return row;
}

std::string runs_answer(const RunRows& runs) {
  const auto shared = shared_values(runs);
  std::string common;
  std::string rows;
  std::set<std::string> records;
  std::map<std::string, std::string> by_name;
  for (const auto& [key, value] : shared)
    by_name[*key] = *value;
  for (const auto& [key, value] : by_name)
    common += (common.empty() ? "" : ",") + Json(key).dump() + ":" + value;
  for (const auto& run : runs) {
    rows += (rows.empty() ? "" : ",\n") + run->json;
    rows.pop_back();
    rows += ",\"config\":{" + own_values(*run, shared) + "}}";
    records.insert(run->records.begin(), run->records.end());
  }
  return "{\"common\":{" + common + "},\"records\":" + Json(records).dump() + ",\"runs\":[" + rows
         + "]}";
}

Json run_answer(const RunEntry& run) {
  auto answer = table_row(run);
  auto config = Json::object();
  for (const auto& [key, value] : run.configuration())
    config[*key] = Json::parse(*value, nullptr, false);
  const auto sources = value_sources_in(run.folder());
  auto records = Json::array();
  for (const auto& [name, record] : run.summary().records())
    records.push_back(name);
  answer["config"] = std::move(config);
  answer["configuration"]
    = configuration_list(run, sources.value_or(std::map<std::string, std::string>{}));
  answer["sources_known"] = sources.has_value();
  answer["summary"] = nullptr;
  answer["result"] = run.result();
  answer["starts"] = starts_of(run.log().head());
  answer["status"] = worker_status(run);
  answer["records"] = std::move(records);
  answer["acts"] = acts_of(run);
  answer["time"] = time_of(run, progress_of(run));
  answer["files"] = files_of(run);
  answer["rows"] = run.log().rows();
  answer["damaged"] = run.log().damaged();
  return answer;
}

std::vector<std::string> listed_files(const std::filesystem::path& run) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  const auto add = [&](const fs::path& folder, const std::string& before, bool pictures) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const auto name = entry.path().filename().string();
      const auto regular = !entry.is_symlink(error) && entry.is_regular_file(error);
      if (regular && name != "control.json" && !name.starts_with('.')
          && (!pictures || is_picture(name)))
        names.push_back(before + name);
    }
  };
  add(run, "", false);
  for (const auto& entry : fs::directory_iterator(run, error))
    if (entry.is_directory(error) && !entry.is_symlink(error))
      add(entry.path(), entry.path().filename().string() + "/", true);
  std::sort(names.begin(), names.end());
  return names;
}

bool is_picture(std::string_view name) { return name.ends_with(".png") || name.ends_with(".svg"); }

bool is_shown_file(const std::string& name) {
  return name == "config.yaml" || name == "result.json" || is_picture(name)
         || name.ends_with(".csv");
}

Json log_row(const ScannedRow& row, std::uint64_t number, bool counts) {
  auto records = Json::object();
  for (const auto& record : row.records)
    records[std::string{record.name}]
      = record.is_text ? Json(record.text) : number_or_null(record.number);
  Json json{{"number", number},
            {"worker", row.worker},
            {"batch", row.batch},
            {"epoch", row.epoch},
            {"seconds", number_or_null(row.seconds)},
            {"time", row.time},
            {"records", std::move(records)}};
  if (!counts)
    json["void"] = true;
  return json;
}

} // namespace troupe
