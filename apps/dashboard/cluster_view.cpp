#include "apps/dashboard/cluster_view.hpp"

#include "apps/folder/cluster_folder.hpp"
#include "apps/plots/abscissa.hpp"
#include "base/files/data_error.hpp"

#include <algorithm>
#include <cmath>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

/// The state of a cluster: that of the worker that matters most.
std::string state_of_cluster(const RunRows& runs) {
  for (const auto state : {ShownState::failed, ShownState::lost, ShownState::training,
                           ShownState::paused, ShownState::stopped, ShownState::done})
    for (const auto& run : runs)
      if (run->state == state)
        return to_string(state);
  return to_string(ShownState::fresh);
}

double speed_of(const WorkerView& member) {
  return member.seconds > 0 ? static_cast<double>(member.batches) / member.seconds : 0;
}

Json json_of_member(const WorkerView& member, bool slow) {
  const auto share
    = member.waiting && member.seconds > 0 ? *member.waiting / member.seconds : std::nan("");
  return {{"name", member.name},
          {"role", "worker"},
          {"worker", member.worker},
          {"run", member.run},
          {"state", to_string(member.state)},
          {"batches", member.batches},
          {"epochs", member.epochs},
          {"silent_seconds", number_or_null(member.silent)},
          {"batches_per_second", member.seconds > 0 ? Json(speed_of(member)) : Json(nullptr)},
          {"waiting_share", number_or_null(share)},
          {"staleness", nullptr},
          {"bytes_per_second", nullptr},
          {"incarnation", member.starts},
          {"lease", nullptr},
          {"slow", slow}};
}

Json json_of_holder(const std::filesystem::path& folder) {
  return {{"name", folder.filename().string()},
          {"role", "holder"},
          {"worker", nullptr},
          {"run", nullptr},
          {"state", nullptr},
          {"batches", nullptr},
          {"epochs", nullptr},
          {"silent_seconds", nullptr},
          {"batches_per_second", nullptr},
          {"waiting_share", nullptr},
          {"staleness", nullptr},
          {"bytes_per_second", nullptr},
          {"incarnation", nullptr},
          {"lease", nullptr},
          {"slow", false}};
}

} // namespace

WorkerView worker_view_of(const RunEntry& run, double now) {
  WorkerView member;
  member.name = run.folder().filename().string();
  member.run = run.id();
  member.state = run.state();
  member.starts = std::max<std::size_t>(1, run.log().head().starts().size());
  for (const auto& [number, worker] : run.summary().workers()) {
    member.worker = number;
    member.batches = worker.batches;
    member.epochs = worker.epochs;
    member.seconds = worker.seconds;
    member.silent = now - unix_time_of(worker.time);
  }
  const auto& records = run.summary().records();
  if (const auto gates = records.find("speed_time_gates_total"); gates != records.end())
    member.waiting = gates->second.last;
  return member;
}

std::vector<std::string> slow_members(const std::vector<WorkerView>& members) {
  std::vector<double> speeds;
  for (const auto& member : members)
    speeds.push_back(speed_of(member));
  if (speeds.size() < 2)
    return {};
  std::sort(speeds.begin(), speeds.end());
  const auto median = speeds[speeds.size() / 2];
  std::vector<std::string> slow;
  for (const auto& member : members)
    if (speed_of(member) < 0.8 * median)
      slow.push_back(member.name);
  return slow;
}

Json cluster_row(const FoundFolder& cluster, const RunRows& runs) {
  std::optional<ClusterFolder> claim;
  try {
    claim = claim_of(cluster.path);
  } catch (const DataError&) {
    claim = {}; // shown without the numbers
  }
  return {{"id", folder_id(cluster.path)},
          {"name", cluster.path.filename().string()},
          {"folder", cluster.path.string()},
          {"state", state_of_cluster(runs)},
          {"workers", claim ? Json(claim->workers) : Json(runs.size())},
          {"holders", claim ? Json(claim->holders) : Json(nullptr)}};
}

Json cluster_answer(const FoundFolder& cluster, const RunRows& runs,
                    const std::vector<WorkerView>& members) {
  auto answer = cluster_row(cluster, runs);
  const auto slow = slow_members(members);
  auto list = Json::array();
  for (const auto& member : members)
    list.push_back(
      json_of_member(member, std::find(slow.begin(), slow.end(), member.name) != slow.end()));
  std::error_code error;
  std::vector<std::filesystem::path> holders;
  for (const auto& entry : std::filesystem::directory_iterator(cluster.path, error))
    if (entry.path().filename().string().starts_with("holder-") && entry.is_directory(error))
      holders.push_back(entry.path());
  std::sort(holders.begin(), holders.end());
  for (const auto& holder : holders)
    list.push_back(json_of_holder(holder));
  answer["members"] = std::move(list);
  answer["missing"] = {"staleness, lease and bytes_per_second: the logs do not hold them",
                       "incarnation: the number of starts in the worker's log"};
  return answer;
}

} // namespace troupe
