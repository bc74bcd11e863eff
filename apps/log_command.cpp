#include "troupe/apps/log_command.hpp"

#include "troupe/apps/config/nearest.hpp"
#include "troupe/apps/exit_codes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <tuple>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr auto log_file = "log.jsonl";

struct LogFile {
  fs::path path;
  std::string name; ///< of its folder, as rows show it
};

/// "worker-2" comes before "worker-10".
std::tuple<std::string, std::size_t, std::string> order_of(const std::string& name) {
  const auto digits = name.find_last_not_of("0123456789") + 1;
  return {name.substr(0, digits), name.size(), name};
}

std::vector<LogFile> logs_in(const std::string& run, bool several) {
  const fs::path folder = run == "last" ? fs::path{"runs/latest"} : fs::path{run};
  if (fs::is_regular_file(folder))
    return {{folder, several ? run : folder.filename().string()}};
  const auto below = several ? (folder / "").string() : std::string{};
  std::vector<LogFile> logs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (fs::exists(entry.path() / log_file))
      logs.push_back({entry.path() / log_file, below + entry.path().filename().string()});
  std::sort(logs.begin(), logs.end(),
            [](const LogFile& a, const LogFile& b) { return order_of(a.name) < order_of(b.name); });
  if (fs::exists(folder / log_file))
    logs.insert(logs.begin(),
                {folder / log_file, several ? run : fs::canonical(folder).filename().string()});
  if (logs.empty())
    throw IoError("there is no " + std::string{log_file} + " in '" + folder.string()
                  + "', nor in a folder in it; give the folder of a run, or 'last'");
  return logs;
}

struct LogRow {
  std::string time; ///< "2026-01-31T12:00:00.000Z": its order is that of time
  std::size_t log = 0;
  Json json;
};

/// A row's members, each of its type; nothing for a line that is no row.
bool is_row(const Json& json) {
  const auto number
    = [&](const char* name) { return json.contains(name) && json[name].is_number(); };
  return json.contains("time") && json["time"].is_string() && number("worker") && number("batch")
         && number("epoch") && json.contains("seconds") && json.contains("records")
         && json["records"].is_object();
}

bool is_status(const Json& json) { return json.contains("status") && json.contains("worker"); }

class Logs {
public:
  Logs(std::vector<LogFile> files, std::string record)
    : files_(std::move(files)),
      record_(std::move(record)) {
    for (std::size_t log = 0; log < files_.size(); ++log)
      read(log);
  }

  void order_by_time() {
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const LogRow& a, const LogRow& b) { return a.time < b.time; });
  }

  void print_json() const {
    for (const auto& row : rows_) {
      Json line{{"log", files_[row.log].name}};
      line.update(row.json);
      std::cout << line.dump() << '\n';
    }
  }

  void print_csv() const {
    std::cout << "time,log,worker,batch,epoch,seconds,record,value\n";
    for (const auto& row : rows_)
      for (const auto& [name, value] : row.json["records"].items())
        std::cout << row.time << ',' << quoted(files_[row.log].name) << ',' << row.json["worker"]
                  << ',' << row.json["batch"] << ',' << row.json["epoch"] << ','
                  << text(row.json["seconds"]) << ',' << quoted(name) << ',' << text(value) << '\n';
  }

  void warn() const {
    if (damaged_ > 0)
      std::cerr << "troupe: " << damaged_ << (damaged_ == 1 ? " line was" : " lines were")
                << " skipped, damaged or half written; the first is " << first_damaged_ << '\n';
    if (record_.empty() || !rows_.empty())
      return;
    const std::vector<std::string> known(names_.begin(), names_.end());
    const auto near = config::nearest(record_, known);
    std::cerr << "troupe: no row has a record '" << record_ << "'"
              << (near ? "; did you mean '" + *near + "'?" : "") << '\n';
  }

private:
  void read(std::size_t log) {
    std::ifstream file{files_[log].path};
    if (!file)
      throw IoError("cannot read '" + files_[log].path.string() + "'");
    std::string line;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
      auto json = Json::parse(line, nullptr, false);
      if (json.is_object() && is_row(json))
        take({json["time"], log, std::move(json)});
      else if (!(json.is_object() && is_status(json)) && damaged_++ == 0)
        first_damaged_ = files_[log].path.string() + ":" + std::to_string(number);
    }
  }

  void take(LogRow row) {
    auto& records = row.json["records"];
    if (!record_.empty()) {
      for (const auto& [name, value] : records.items())
        names_.insert(name);
      if (!records.contains(record_))
        return;
      records = Json{{record_, Json(records[record_])}};
    }
    rows_.push_back(std::move(row));
  }

  static std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos)
      return text;
    std::string result = "\"";
    for (auto letter : text)
      result += letter == '"' ? "\"\"" : std::string(1, letter);
    return result + "\"";
  }
  static std::string text(const Json& value) {
    return value.is_string() ? quoted(value.get<std::string>()) : quoted(value.dump());
  }

  std::vector<LogFile> files_;
  std::string record_;
  std::vector<LogRow> rows_;
  std::set<std::string> names_; ///< of records, for whoever mistypes one
  std::size_t damaged_ = 0;
  std::string first_damaged_;
};

} // namespace

int print_logs(const LogCommand& command) {
  std::vector<LogFile> files;
  for (const auto& run : command.runs)
    for (auto& file : logs_in(run, command.runs.size() > 1))
      files.push_back(std::move(file));
  Logs logs{std::move(files), command.record};
  if (command.merge)
    logs.order_by_time();
  if (command.csv)
    logs.print_csv();
  else
    logs.print_json();
  logs.warn();
  std::cout.flush();
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
