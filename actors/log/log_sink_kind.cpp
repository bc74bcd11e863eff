#include "actors/log/log_sink_kind.hpp"

namespace troupe {

template <>
Registry<LogSinkKind>& registry_of() {
  static Registry<LogSinkKind> kinds; // there before any file registers its own
  return kinds;
}

void LogSink::write(const Write&, double) {}
void LogSink::write(const WriteStatus&, double) {}
void LogSink::write_line(const Say&, double) {}
void LogSink::write_end(double) {}
Say LogSink::flush(std::chrono::milliseconds) { return {}; }

} // namespace troupe
