#include "actors/log/log_sink_kind.hpp"

namespace troupe {

namespace {

Registry<LogSinkKind>& registered_log_sinks() {
  static Registry<LogSinkKind> kinds; // there before any file registers its own
  return kinds;
}

} // namespace

const Registry<LogSinkKind>& log_sink_kinds() { return registered_log_sinks(); }

RegisterLogSink::RegisterLogSink(LogSinkKind kind) { registered_log_sinks().add(std::move(kind)); }

void LogSink::write(const Write&, double) {}
void LogSink::write(const WriteStatus&, double) {}
void LogSink::write_line(const Say&, double) {}
void LogSink::write_end(double) {}
Say LogSink::flush(std::chrono::milliseconds) { return {}; }

} // namespace troupe
