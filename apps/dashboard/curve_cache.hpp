// The columns of the logs whose curves were asked for last, within a limit of memory.
#pragma once

#include "apps/plots/log_columns.hpp"
#include "apps/run_index/stored_runs.hpp"

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace troupe {

class CurveCache {
public:
  /// @param most_bytes of all columns but those asked for last
  explicit CurveCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  using Use = std::function<void(const LogColumns& columns, const LogSource& log)>;
  /// Reads what a log has got since its last use, and calls `use`.
  void with(const FoundFolder& run, const Use& use);

private:
  struct Kept {
    explicit Kept(const FoundFolder& of) : run(of.path), log(opened_log(of)) {}
    std::filesystem::path run;
    std::mutex mutex;
    std::unique_ptr<LogSource> log;
    LogColumns columns;
    std::size_t bytes = 0; ///< of the columns at their last use
  };

  std::shared_ptr<Kept> find(const FoundFolder& run);
  void drop_oldest();

  std::size_t most_bytes_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Kept>> kept_; ///< the last used first
};

} // namespace troupe
