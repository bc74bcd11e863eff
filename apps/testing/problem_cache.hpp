#pragma once

#include "apps/config/run_config.hpp"
#include "model/data/problem.hpp"

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace troupe {

/// The problems that runs of one process share: data that many runs train on is loaded once. May be
/// called by several threads.
class ProblemCache {
public:
  /// The problem of a configuration, by the fit of an earlier run where there is one, else by the
  /// rows that its sampler chooses to train on; without samples. @throws as make_problem.
  std::shared_ptr<const Problem> get(const RunConfig& config, const std::string& fit);

private:
  static constexpr std::size_t most = 4; ///< that nobody uses are kept

  std::mutex mutex_;
  std::deque<std::pair<std::string, std::shared_ptr<const Problem>>> newest_first_;
};

} // namespace troupe
