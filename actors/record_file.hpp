#pragma once

#include "troupe/messages/log.hpp"

#include <fstream>
#include <string>

namespace troupe {

/// The log as a file of JSON lines, one object each, readable while it grows:
///
///   {"run":"...","worker":0,"batch":313,"epoch":1,"seconds":2.4,"time":"2026-11-21T03:00:00.000Z","records":{"loss":0.4}}
///   {"run":"...","worker":0,"time":"...","status":{"epochs_done":1}}
///
/// JSON has no word for numbers that are not finite: they are the strings "NaN", "Infinity",
/// "-Infinity".
class RecordFile {
public:
  /// Appends to `path`. @throws std::system_error where it cannot be opened.
  RecordFile(std::string path, std::string run);

  void write(const Write& write, double unix_time);
  void write(const WriteStatus& status, double unix_time);
  /// Hands what was written to the operating system. @returns false where the disk refused
  /// something; it is said once.
  bool flush();

private:
  std::string path_, run_;
  std::ofstream file_;
};

/// "2026-11-21T03:00:00.000Z"
std::string utc_text(double unix_time);

} // namespace troupe
