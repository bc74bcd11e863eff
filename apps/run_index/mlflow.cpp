#include "apps/run_index/mlflow.hpp"

#include "apps/folder/logged_values.hpp"
#include "apps/plots/abscissa.hpp"
#include "apps/run_index/run_entry.hpp"
#include "apps/run_index/stored_runs.hpp"
#include "base/files/durable_file.hpp"
#include "base/text/number_in.hpp"
#include "base/text/text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace troupe {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Fields = std::vector<std::pair<std::string, std::string>>;

/// A run's status, as MLflow counts them.
enum class MlflowStatus : std::uint8_t { running = 1, scheduled, finished, failed, killed };

MlflowStatus mlflow_status(ShownState state) {
  switch (state) {
  case ShownState::fresh: return MlflowStatus::scheduled;
  case ShownState::training:
  case ShownState::paused: return MlflowStatus::running;
  case ShownState::done: return MlflowStatus::finished;
  case ShownState::failed: return MlflowStatus::failed;
  case ShownState::stopped:
  case ShownState::lost: break;
  }
  return MlflowStatus::killed;
}

/// A name that MLflow takes, which is also a file's: letters, digits, blanks and _ - .
std::string mlflow_name(const std::string& name) {
  std::string result;
  for (const auto c : name) {
    const auto taken = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                       || c == '_' || c == '-' || c == '.' || c == ' ';
    result += taken ? c : '_';
  }
  if (result.find_first_not_of('.') == std::string::npos)
    result += '_';
  return result.substr(0, 250);
}

/// The 18 digits that name an experiment: the same for the same name.
std::string experiment_id(const std::string& name) {
  constexpr std::uint64_t digits_18 = 1'000'000'000'000'000'000;
  const auto hash = std::stoull(folder_id(name), nullptr, 16);
  return std::to_string(digits_18 / 10 + hash % (digits_18 - digits_18 / 10));
}

std::string in_yaml(const std::string& text) {
  std::string quoted = "'";
  for (const auto c : text)
    quoted += c == '\'' ? std::string{"''"} : std::string{c};
  return quoted + "'";
}

std::string yaml_of(const Fields& fields) {
  std::string yaml;
  for (const auto& [name, value] : fields)
    yaml += name + ": " + value + "\n";
  return yaml;
}

std::string milliseconds_of(const std::string& time) {
  const auto seconds = unix_time_of(time);
  return std::isfinite(seconds) ? std::to_string(std::llround(1000 * seconds)) : "null";
}

/// A value without line breaks, as it is in JSON or, a text, without quotes.
std::string value_text(const std::string& json_text) {
  const auto json = Json::parse(json_text, nullptr, false);
  auto text = json.is_string() ? json.get<std::string>() : json_text;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void write_values(const fs::path& folder, const Fields& values) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& [name, value] : values)
    write_file(folder / mlflow_name(name), value, Readers::all);
}

/// The numbers of a log, a file for each record. Those of workers other than the first are in
/// folders, which are a part of the name for MLflow.
class MetricFiles {
public:
  explicit MetricFiles(fs::path folder) : folder_(std::move(folder)) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  void take(const LoggedRow& row) {
    for (const auto& [name, value] : row.records)
      if (!std::holds_alternative<std::string>(value))
        file(row.row.worker, name)
          << milliseconds_of(row.time) << ' ' << number_text(value) << ' ' << row.row.batch << '\n';
  }

  /// @throws IoError if the disk refused a part
  void close() {
    for (auto& [name, file] : files_)
      if (!file.flush())
        throw IoError("cannot write '" + (folder_ / name).string() + "': is its disk full?");
  }

private:
  std::ofstream& file(WorkerId worker, const std::string& record) {
    first_ = std::min(first_, worker);
    const auto name
      = (worker == first_ ? "" : "worker-" + std::to_string(worker) + "/") + mlflow_name(record);
    auto& file = files_[name];
    if (!file.is_open()) {
      fs::create_directories((folder_ / name).parent_path());
      file.open(folder_ / name, std::ios::binary);
    }
    return file;
  }

  static std::string number_text(const Value& value) {
    const auto number = number_of(value);
    return std::isnan(number)   ? "nan"
           : std::isinf(number) ? (number > 0 ? "inf" : "-inf")
                                : shortest(number);
  }

  fs::path folder_;
  std::map<std::string, std::ofstream> files_;
  WorkerId first_ = std::numeric_limits<WorkerId>::max();
};

std::string experiment_of(const RunEntry& run) {
  const auto& found = run.found();
  const auto group = found.grid.empty() ? found.cluster : found.grid;
  const auto problem = value_text(run.value_of("problem.name"));
  return !group.empty() ? group.filename().string() : problem.empty() ? "troupe" : problem;
}

void write_experiment(const fs::path& folder, const std::string& name, const std::string& began) {
  if (fs::exists(folder / "meta.yaml"))
    return;
  fs::create_directories(folder);
  write_file(folder / "meta.yaml",
             yaml_of({{"artifact_location", in_yaml("file://" + folder.string())},
                      {"creation_time", began},
                      {"experiment_id", in_yaml(folder.filename().string())},
                      {"last_update_time", began},
                      {"lifecycle_stage", "active"},
                      {"name", in_yaml(name)}}),
             Readers::all);
}

Fields tags_of(const RunEntry& run, const std::string& name, const std::string& user) {
  Fields tags{{"mlflow.runName", name},
              {"mlflow.source.name", "troupe"},
              {"mlflow.source.type", "LOCAL"},
              {"mlflow.user", user},
              {"troupe.folder", run.folder().string()}};
  if (const auto outcome = run.outcome(); !outcome.empty())
    tags.emplace_back("troupe.outcome", outcome);
  if (const auto reason = run.reason(); !reason.empty())
    tags.emplace_back("troupe.reason", reason);
  for (const auto& tag : run.tags())
    tags.emplace_back(tag, "");
  return tags;
}

} // namespace

bool write_for_mlflow(const FoundFolder& found, const fs::path& target) {
  SharedTexts texts;
  RunEntry run{found, opened_log(found), texts};
  run.refresh_files();
  run.refresh_log();
  run.refresh_state();
  const auto& starts = run.log().head().starts();
  if (starts.empty())
    return false;
  const auto id = starts.front().start.id; // the first, so that a resumed run is the same one
  const auto experiment = experiment_of(run);
  const auto above = fs::absolute(target) / experiment_id(experiment);
  const auto folder = above / id;
  const auto began = milliseconds_of(starts.front().time);
  write_experiment(above, experiment, began);
  fs::create_directories(folder / "artifacts");
  MetricFiles metrics{folder / "metrics"};
  std::string last = starts.front().time;
  const auto log = opened_log(found);
  each_row(*log, [&](const LoggedRow& row) {
    metrics.take(row);
    last = std::max(last, row.time);
  });
  metrics.close();
  Fields parameters;
  for (const auto& [key, value] : run.configuration())
    parameters.emplace_back(*key, value_text(*value));
  write_values(folder / "params", parameters);
  const auto* login = getlogin();
  const std::string user = login == nullptr ? "" : login;
  const auto name = found.path.filename().string();
  write_values(folder / "tags", tags_of(run, name, user));
  write_file(folder / "meta.yaml",
             yaml_of({{"artifact_uri", in_yaml("file://" + (folder / "artifacts").string())},
                      {"deleted_time", "null"},
                      {"end_time", is_alive(run.state()) ? "null" : milliseconds_of(last)},
                      {"entry_point_name", "''"},
                      {"experiment_id", in_yaml(above.filename().string())},
                      {"lifecycle_stage", "active"},
                      {"run_id", id},
                      {"run_name", in_yaml(name)},
                      {"run_uuid", id},
                      {"source_name", "''"},
                      {"source_type", "4"},
                      {"source_version", "''"},
                      {"start_time", began},
                      {"status", std::to_string(static_cast<int>(mlflow_status(run.state())))},
                      {"tags", "[]"},
                      {"user_id", in_yaml(user)}}),
             Readers::all);
  return true;
}

} // namespace troupe
