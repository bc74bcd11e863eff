#pragma once

#include "base/files/line_file.hpp"
#include "messages/log/log.hpp"
#include "messages/log/log_lineage.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace troupe {

/// The log as a file of JSON lines, one object each, readable while it grows. Nothing in it is ever
/// changed: where a run goes on from a checkpoint, the line of that start says so, and readers pass
/// over the rows before it that lie beyond (messages/log/log_lineage.hpp).
///
///   {"run":"...","id":"0f3c...","time":"2026-11-21T03:00:00.000Z"}
///   {"run":"...","worker":0,"batch":313,"epoch":1,"seconds":2.4,"time":"2026-11-21T03:00:00.000Z","records":{"loss":0.4}}
///   {"run":"...","worker":0,"time":"...","status":{"epochs_done":1}}
///   {"run":"...","id":"77aa...","resumed_from":"0f3c...","resumed_at":{"0":313},"time":"..."}
///   {"run":"...","id":"77aa...","ended":true,"time":"..."}
///
/// JSON has no word for numbers that are not finite: they are the strings "NaN", "Infinity",
/// "-Infinity".
class RecordFile {
public:
  /// Appends to `path`; behind half a line of a process that was killed, on a new one.
  /// @throws FileError where it cannot be opened.
  RecordFile(const std::string& path, std::string run);
  ~RecordFile(); ///< flushes
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  void write(const LogStart& start, double unix_time);
  void write(const Write& write, double unix_time);
  void write(const WriteStatus& status, double unix_time);
  /// The last line of the log with this id: the process ended in good order.
  void write_end(const std::string& id, double unix_time);
  /// Hands what was written to the operating system.
  /// @returns false where the disk has refused something since it was asked last. It is tried again
  /// here only, not with each row; once there is room, the newest 12 MB at least go there.
  bool flush();

private:
  void append(const nlohmann::ordered_json& json);
  void hand_on();

  std::string run_;
  LineFile file_;
  std::string waiting_;  ///< whole lines that are not in the file yet
  bool full_ = false;    ///< the disk, when it was tried last
  bool refused_ = false; ///< since flush was asked
};

/// Records as an object of a line.
nlohmann::ordered_json json_of(const Records& records);

/// One line of a log with its end; bytes that are no UTF-8 are replaced.
std::string json_line(const nlohmann::ordered_json& json);

/// "2026-11-21T03:00:00.000Z"
std::string utc_text(double unix_time);

} // namespace troupe
