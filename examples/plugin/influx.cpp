// A log sink of one's own: the rows of the log as InfluxDB's line protocol, which time series
// databases and their collectors read:
//
//   training,run=2026-11-21T03-00-00Z,worker=0 batch=400i,validation_brier=0.07 1795230000000000000
#include <troupe/actors/log/log_sink_kind.hpp>

#include <cmath>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace {

using namespace troupe;

struct InfluxOptions {
  std::string path = "log.influx"; ///< a relative one is in the run's folder
  std::string measurement = "training";
  TROUPE_FIELDS(path, measurement);
};

void check(const InfluxOptions& options) {
  if (options.path.empty() || options.measurement.empty())
    throw std::invalid_argument(
      "path or measurement is empty; give both a name, or leave them out");
}

/// With a backslash before each of `special`.
std::string escaped(const std::string& text, const char* special) {
  std::string whole;
  for (const auto c : text)
    (whole += std::string_view{special}.find(c) == std::string_view::npos ? "" : "\\") += c;
  return whole;
}

std::string field_text(std::int64_t x) { return std::to_string(x) + "i"; }
std::string field_text(bool x) { return x ? "true" : "false"; }
std::string field_text(const std::string& x) { return '"' + escaped(x, "\"\\") + '"'; }
std::string field_text(double x) {
  return std::isfinite(x) ? std::to_string(x) : ""; // the protocol has no NaN
}

class InfluxSink final : public LogSink {
public:
  InfluxSink(const InfluxOptions& options, const OpenedLog& log)
    : path_(log.folder / options.path),
      start_(escaped(options.measurement, ", ") + ",run=" + escaped(log.run, ",= ") + ",worker="),
      file_(path_, std::ios::app) {
    if (!file_)
      throw std::runtime_error("cannot write the log to '" + path_.string()
                               + "'; give log.influx.path in a folder that is there");
  }

  void write(const Write& write, double time) override {
    file_ << start_ << write.row.worker << " batch=" << write.row.batch << 'i';
    for (const auto& [name, value] : write.records)
      if (const auto text = std::visit([](const auto& x) { return field_text(x); }, value);
          !text.empty())
        file_ << ',' << escaped(name, ",= ") << '=' << text;
    file_ << ' ' << static_cast<std::int64_t>(time * 1e9) << '\n';
  }

  Say flush(std::chrono::milliseconds) override {
    if (file_.flush() || std::exchange(said_, true))
      return {};
    return {Level::warning, "the disk refused rows of '" + path_.string() + "'; log.jsonl has all"};
  }

private:
  std::filesystem::path path_;
  std::string start_;
  std::ofstream file_;
  bool said_ = false;
};

const RegisterLogSink influx_kind{log_sink_kind<InfluxSink, InfluxOptions>("influx")};

} // namespace
