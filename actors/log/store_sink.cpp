// The store that a log is copied to during training.
#include "actors/log/log_sink_kind.hpp"
#include "actors/log/store_writer.hpp"

#include <stdexcept>

namespace troupe {

struct StoreOptions {
  std::string path = ""; ///< of the database, which several runs may share
  TROUPE_FIELDS(path);
};

void check(const StoreOptions& options) {
  if (options.path.empty())
    throw std::invalid_argument("path is missing; give a file, like logs.sqlite");
}

namespace {

using namespace std::chrono_literals;

/// Copies the log's file.
class StoreSink final : public LogSink {
public:
  StoreSink(const StoreOptions& options, const OpenedLog& log) : writer_(options.path, log.file) {}

  void write_end(double) override { ending_ = true; }

  /// Does not wait during training for a store that has refused lines.
  Say flush(std::chrono::milliseconds patience) override {
    const auto refusal = writer_.flush(writer_.refused() && !ending_ ? 0ms : patience);
    if (refusal.empty())
      return {};
    return {Level::warning, refusal
                              + ". Training continues without it: log.jsonl has every row, and the "
                                "store gets those that it lacks once it is back"};
  }

  bool behind() const override { return writer_.behind(); }

  std::string shortfall() override {
    const auto missing = writer_.missing();
    return missing == 0 ? ""
                        : "the store lacks " + std::to_string(missing)
                            + " lines of this log, which log.jsonl has; `troupe log --copy-to "
                              "STORE RUN` copies them";
  }

private:
  StoreWriter writer_;
  bool ending_ = false;
};

const RegisterLogSink store_kind{log_sink_kind<StoreSink, StoreOptions>("store")};

} // namespace

} // namespace troupe
