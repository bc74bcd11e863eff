#include "apps/testing/problem_cache.hpp"

#include "apps/catalog/components.hpp"
#include "apps/config/print.hpp"
#include "apps/config/tree.hpp"
#include "apps/session/run_problem.hpp"

#include <algorithm>

namespace troupe {

std::shared_ptr<const Problem> ProblemCache::get(const RunConfig& config, const std::string& fit) {
  const auto& section = *config.tree.find("problem");
  const auto* sampler = config::get(config.tree, {"training", "sampler"});
  const auto key = config::to_yaml(section)
                   + (fit.empty() && sampler != nullptr ? config::to_yaml(*sampler) : fit);
  std::lock_guard lock{mutex_};
  const auto found = std::find_if(newest_first_.begin(), newest_first_.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  if (found != newest_first_.end()) {
    std::rotate(newest_first_.begin(), found, found + 1);
    return newest_first_.front().second;
  }
  newest_first_.emplace_front(
    key, make_problem(section, fit, chosen_training_rows(config.training.sampler)));
  if (newest_first_.size() > most)
    newest_first_.pop_back();
  return newest_first_.front().second;
}

} // namespace troupe
