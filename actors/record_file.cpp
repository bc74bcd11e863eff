#include "troupe/actors/record_file.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <ctime>
#include <system_error>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    if (std::isnan(*number))
      return "NaN";
    if (std::isinf(*number))
      return *number > 0 ? "Infinity" : "-Infinity";
  }
  return std::visit([](const auto& x) -> Json { return x; }, value);
}

/// Whether the file ends in the midst of a line.
bool ends_torn(const std::string& path) {
  std::ifstream file{path, std::ios::binary | std::ios::ate};
  if (!file || file.tellg() <= 0)
    return false;
  file.seekg(-1, std::ios::end);
  return file.get() != '\n';
}

} // namespace

Json json_of(const Records& records) {
  auto object = Json::object();
  for (const auto& [name, value] : records)
    object[name] = json_of(value);
  return object;
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string utc_text(double unix_time) {
  const auto whole = static_cast<std::time_t>(std::floor(unix_time));
  const auto millis = static_cast<int>((unix_time - static_cast<double>(whole)) * 1000);
  std::tm utc{};
  gmtime_r(&whole, &utc);
  char text[64];
  const auto length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text + length, sizeof text - length, ".%03dZ", millis);
  return text;
}

RecordFile::RecordFile(std::string path, std::string run)
  : path_(std::move(path)),
    run_(std::move(run)),
    file_(path_, std::ios::app) {
  if (!file_)
    throw std::system_error(errno, std::generic_category(),
                            "cannot write the log to '" + path_ + "'");
  if (ends_torn(path_))
    file_ << '\n';
}

void RecordFile::write(const LogStart& start, double unix_time) {
  Json json{{"run", run_}, {"id", start.id}};
  if (!start.resumed_from.empty()) {
    json["resumed_from"] = start.resumed_from;
    json["resumed_at"] = Json::object();
    for (const auto& [worker, batch] : start.resumed_at)
      json["resumed_at"][std::to_string(worker)] = batch;
  }
  json["time"] = utc_text(unix_time);
  file_ << json_line(json);
}

void RecordFile::write_end(const std::string& id, double unix_time) {
  file_ << json_line({{"run", run_}, {"id", id}, {"ended", true}, {"time", utc_text(unix_time)}});
}

void RecordFile::write(const Write& write, double unix_time) {
  file_ << json_line({{"run", run_},
                      {"worker", write.row.worker},
                      {"batch", write.row.batch},
                      {"epoch", write.epoch},
                      {"seconds", write.seconds},
                      {"time", utc_text(unix_time)},
                      {"records", json_of(write.records)}});
}

void RecordFile::write(const WriteStatus& status, double unix_time) {
  file_ << json_line({{"run", run_},
                      {"worker", status.worker},
                      {"time", utc_text(unix_time)},
                      {"status", json_of(status.records)}});
}

bool RecordFile::flush() {
  file_.flush();
  const auto good = file_.good();
  file_.clear(); // a full disk may have room again at the next line
  return good;
}

} // namespace troupe
