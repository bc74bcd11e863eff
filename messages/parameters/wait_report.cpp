#include "messages/parameters/wait_report.hpp"

#include "base/text/duration.hpp"

#include <chrono>
#include <utility>

namespace troupe {

std::string workers_text(const std::vector<WorkerId>& workers) {
  std::string text = workers.size() == 1 ? "worker " : "workers ";
  for (std::size_t i = 0; i < workers.size(); ++i)
    text += (i == 0 ? "" : i + 1 == workers.size() ? " and " : ", ") + std::to_string(workers[i]);
  return text;
}

bool WaitReport::is_due(double seconds) {
  if (seconds < first)
    due_at_ = first;
  return seconds >= due_at_;
}

std::optional<std::string> WaitReport::describe(const HolderWait& wait) {
  const auto waited = rounded_length(std::exchange(due_at_, due_at_ * times_as_long));
  const auto grace = print_duration(std::chrono::duration<double>(wait.join_grace));
  if (wait.for_first_parameters)
    return "no worker begins before the main one, " + workers_text({wait.main})
           + ", has created the parameters"
           + (wait.for_absent ? "; it has not joined yet, and others wait at most " + grace : "");
  if (wait.for_absent)
    return "a round waits for workers that have not joined yet, at most " + grace;
  if (!wait.missing.empty())
    return "a round has waited " + waited + " for " + workers_text(wait.missing);
  if (!wait.slow.empty())
    return "a worker that is ahead has waited " + waited + " for " + workers_text(wait.slow);
  return {};
}

} // namespace troupe
