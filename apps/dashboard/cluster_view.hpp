// A cluster as the dashboard shows it: its members, as their logs and folders say.
#pragma once

#include "apps/dashboard/run_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A worker or the evaluator of a cluster.
struct MemberView {
  std::string name, run; ///< the folder's, and the run's id
  bool trains = true;    ///< false: it is the evaluator
  ShownState state = ShownState::fresh;
  WorkerId worker = 0;
  Step batches = 0;
  Epoch epochs = 0;
  double seconds = 0;              ///< of training
  double silent = 0;               ///< seconds since its last row
  std::optional<double> waiting;   ///< seconds in gates
  std::optional<double> staleness; ///< versions, at its last push
  std::size_t starts = 1;          ///< of its log
};

MemberView member_view_of(const RunEntry& run, double now);

/// Names of workers that are slower than four fifths of the median.
std::vector<std::string> slow_members(const std::vector<MemberView>& members);

nlohmann::ordered_json cluster_row(const FoundFolder& cluster, const RunRows& runs);
nlohmann::ordered_json cluster_answer(const FoundFolder& cluster, const RunRows& runs,
                                      const std::vector<MemberView>& members);

} // namespace troupe
