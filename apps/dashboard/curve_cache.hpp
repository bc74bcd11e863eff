// The columns of the logs whose curves were asked for last, within a limit of memory.
#pragma once

#include "apps/folder/log_reader.hpp"
#include "apps/plots/log_columns.hpp"

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

  using Use = std::function<void(const LogColumns& columns, const LogReader& log)>;
  /// Reads what a log has got since its last use, and calls `use`.
  void with(const std::filesystem::path& log, const Use& use);

private:
  struct Kept {
    explicit Kept(const std::filesystem::path& file) : log(file) {}
    std::mutex mutex;
    LogReader log;
    LogColumns columns;
    std::size_t bytes = 0; ///< of the columns at their last use
  };

  std::shared_ptr<Kept> find(const std::filesystem::path& log);
  void drop_oldest();

  std::size_t most_bytes_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Kept>> kept_; ///< the last used first
};

} // namespace troupe
