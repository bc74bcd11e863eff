#pragma once

#include "actors/log/log_sink.hpp"
#include "base/files/line_file.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace troupe {

/// The log as a file of JSON lines, one object each, readable while it grows. Lines are never
/// changed: when a run resumes from a checkpoint, the line of that start says so, and readers skip
/// the rows beyond that batch (messages/log/log_lineage.hpp).
///
///   {"run":"...","id":"0f3c...","time":"2026-11-21T03:00:00.000Z"}
///   {"run":"...","worker":0,"batch":313,"epoch":1,"seconds":2.4,"time":"2026-11-21T03:00:00.000Z","records":{"loss":0.4}}
///   {"run":"...","worker":0,"time":"...","status":{"epochs_done":1}}
///   {"run":"...","id":"77aa...","resumed_from":"0f3c...","resumed_at":{"0":313},"time":"..."}
///   {"run":"...","id":"77aa...","ended":true,"time":"..."}
///
/// JSON cannot express numbers that are not finite: they are the strings "NaN", "Infinity",
/// "-Infinity".
class RecordFile final : public LogSink {
public:
  /// Appends to `path`, starting a new line after an incomplete one of a killed process.
  /// @throws IoError if it cannot be opened.
  RecordFile(const std::string& path, std::string run);
  ~RecordFile() override; ///< flushes

  void write(const LogStart& start, double unix_time);
  void write(const Write& write, double unix_time) override;
  void write(const WriteStatus& status, double unix_time) override;
  /// Writes the last line of the log that was started: the process ended in good order.
  void write_end(double unix_time) override;
  /// Passes what was written to the operating system.
  /// @returns false if the disk has refused something since the last call. Writing is only retried
  /// here, not with each row; once there is room, at least the newest 12 MB are written.
  bool flush();
  Say flush(std::chrono::milliseconds patience) override;

private:
  void append(const nlohmann::ordered_json& json);
  void pass_on();

  std::string run_, id_;
  LineFile file_;
  std::string waiting_;  ///< complete lines that are not in the file yet
  bool full_ = false;    ///< the disk refused the last attempt
  bool refused_ = false; ///< since the last flush
  bool said_ = false;    ///< that the disk refuses
};

/// Records as an object of a line.
nlohmann::ordered_json json_of(const Records& records);

/// One line of a log including its line break; invalid UTF-8 is replaced.
std::string json_line(const nlohmann::ordered_json& json);

/// "2026-11-21T03:00:00.000Z"
std::string utc_text(double unix_time);

} // namespace troupe
