// A cluster as the dashboard shows it: its members, as their logs and folders say.
#pragma once

#include "apps/dashboard/run_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A worker of a cluster.
struct WorkerView {
  std::string name, run; ///< the folder's, and the run's id
  ShownState state = ShownState::fresh;
  WorkerId worker = 0;
  Step batches = 0;
  Epoch epochs = 0;
  double seconds = 0;            ///< of training
  double silent = 0;             ///< seconds since its last row
  std::optional<double> waiting; ///< seconds in gates
  std::size_t starts = 1;        ///< of its log
};

WorkerView worker_view_of(const RunEntry& run, double now);

/// Names of members that are slower than four fifths of the median.
std::vector<std::string> slow_members(const std::vector<WorkerView>& members);

nlohmann::ordered_json cluster_row(const FoundFolder& cluster, const RunRows& runs);
nlohmann::ordered_json cluster_answer(const FoundFolder& cluster, const RunRows& runs,
                                      const std::vector<WorkerView>& members);

} // namespace troupe
