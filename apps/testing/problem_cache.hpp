#pragma once

#include "apps/run_config/run_config.hpp"
#include "model/data/problem.hpp"

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace troupe {

/// Problems shared by the runs of one process: data that many runs train on are loaded once.
/// Thread-safe.
class ProblemCache {
public:
  /// The problem of a configuration, made with the fit of an earlier run if there is one, else with
  /// the training rows that its sampler chooses; without samples. @throws as make_problem.
  std::shared_ptr<const Problem> get(const RunConfig& config, const std::string& fit);

private:
  static constexpr std::size_t most = 4; ///< unused ones that are kept

  std::mutex mutex_;
  std::deque<std::pair<std::string, std::shared_ptr<const Problem>>> newest_first_;
};

} // namespace troupe
