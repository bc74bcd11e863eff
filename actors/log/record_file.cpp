#include "actors/log/record_file.hpp"

#include "base/files/private_files.hpp"

#include <fcntl.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <ctime>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

Json json_value(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    if (std::isnan(*number))
      return "NaN";
    if (std::isinf(*number))
      return *number > 0 ? "Infinity" : "-Infinity";
  }
  return std::visit([](const auto& x) -> Json { return x; }, value);
}

constexpr std::size_t piece_size = std::size_t{1} << 16; // bytes
constexpr std::size_t most_waiting = std::size_t{1} << 24;

/// The first lines of a long text: a disk that refuses them would take its time with all.
std::string_view first_piece(std::string_view lines) {
  if (lines.size() < 2 * piece_size)
    return lines;
  const auto end = lines.rfind('\n', piece_size);
  return lines.substr(0, (end != std::string_view::npos ? end : lines.find('\n')) + 1);
}

int open_log(const std::string& path) {
  const auto descriptor = open_private(path, O_RDWR | O_APPEND);
  if (descriptor < 0)
    throw IoError("cannot write the log to '" + path + "': " + reason_of_open(errno));
  return descriptor;
}

} // namespace

Json json_of(const Records& records) {
  auto object = Json::object();
  for (const auto& [name, value] : records)
    object[name] = json_value(value);
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

RecordFile::RecordFile(const std::string& path, std::string run)
  : run_(std::move(run)),
    file_(open_log(path)) {}

RecordFile::~RecordFile() { pass_on(); }

void RecordFile::append(const Json& json) {
  waiting_ += json_line(json);
  if (waiting_.size() >= piece_size && !full_)
    pass_on();
  if (waiting_.size() > most_waiting) // many at once, since erasing moves the rest
    waiting_.erase(0, waiting_.find('\n', most_waiting / 4) + 1);
}

void RecordFile::pass_on() {
  const std::string_view all = waiting_;
  const auto first = first_piece(all);
  auto taken = file_.append(first);
  if (taken == first.size() && taken < all.size())
    taken += file_.append(all.substr(taken));
  waiting_.erase(0, taken);
  full_ = !waiting_.empty();
  refused_ = refused_ || full_;
}

bool RecordFile::flush() {
  pass_on();
  return !std::exchange(refused_, false);
}

Say RecordFile::flush(std::chrono::milliseconds) {
  if (flush() || std::exchange(said_, true)) // once: the same disk refuses every line
    return {};
  return {Level::error, "the disk refused a part of the log, whose newest rows wait in memory for "
                        "room; training continues"};
}

void RecordFile::write(const LogStart& start, double unix_time) {
  id_ = start.id;
  Json json{{"run", run_}, {"id", start.id}};
  if (!start.resumed_from.empty()) {
    json["resumed_from"] = start.resumed_from;
    json["resumed_at"] = Json::object();
    for (const auto& [worker, batch] : start.resumed_at)
      json["resumed_at"][std::to_string(worker)] = batch;
  }
  json["time"] = utc_text(unix_time);
  append(json);
}

void RecordFile::write_end(double unix_time) {
  append({{"run", run_}, {"id", id_}, {"ended", true}, {"time", utc_text(unix_time)}});
}

void RecordFile::write(const Write& write, double unix_time) {
  append({{"run", run_},
          {"worker", write.row.worker},
          {"batch", write.row.batch},
          {"epoch", write.epoch},
          {"seconds", write.seconds},
          {"time", utc_text(unix_time)},
          {"records", json_of(write.records)}});
}

void RecordFile::write(const WriteStatus& status, double unix_time) {
  append({{"run", run_},
          {"worker", status.worker},
          {"time", utc_text(unix_time)},
          {"status", json_of(status.records)}});
}

} // namespace troupe
