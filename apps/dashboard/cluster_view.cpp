#include "apps/dashboard/cluster_view.hpp"

#include "apps/cluster/launch_plan.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/plots/abscissa.hpp"
#include "base/failure.hpp"

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

double speed_of(const MemberView& member) {
  return member.seconds > 0 ? static_cast<double>(member.batches) / member.seconds : 0;
}

Json number_of_member(const std::optional<double>& value) {
  return value ? number_or_null(*value) : Json(nullptr);
}

/// What the logs do not hold is left out.
Json json_of_member(const MemberView& member, bool slow) {
  Json json{{"name", member.name},
            {"role", member.trains ? "worker" : "evaluator"},
            {"run", member.run},
            {"state", to_string(member.state)},
            {"silent_seconds", number_or_null(member.silent)},
            {"incarnation", member.starts},
            {"slow", slow}};
  if (!member.trains)
    return json;
  json["worker"] = member.worker;
  json["batches"] = member.batches;
  json["epochs"] = member.epochs;
  json["staleness"] = number_of_member(member.staleness);
  if (member.seconds > 0) {
    json["batches_per_second"] = speed_of(member);
    json["waiting_share"]
      = member.waiting ? number_or_null(*member.waiting / member.seconds) : Json(nullptr);
  }
  return json;
}

Json json_of_holder(const std::filesystem::path& folder) {
  return {{"name", folder.filename().string()}, {"role", "holder"}, {"slow", false}};
}

} // namespace

MemberView member_view_of(const RunEntry& run, double now) {
  MemberView member;
  member.name = run.folder().filename().string();
  member.run = run.id();
  member.trains = member.name != name_of_evaluator;
  member.state = run.state();
  member.starts = std::max<std::size_t>(1, run.log().head().starts().size());
  for (const auto& [number, worker] : run.summary().workers()) {
    member.worker = number;
    member.batches = worker.batches;
    member.epochs = worker.epochs;
    member.seconds = worker.seconds;
    member.silent = now - unix_time_of(worker.time);
  }
  const auto last = [&](const char* record) {
    const auto& records = run.summary().records();
    const auto found = records.find(record);
    return found == records.end() ? std::nullopt : std::optional{found->second.last};
  };
  member.waiting = last("time_gates_total");
  member.staleness = last("param_sync_staleness");
  return member;
}

std::vector<std::string> slow_members(const std::vector<MemberView>& members) {
  std::vector<double> speeds;
  for (const auto& member : members)
    if (member.trains)
      speeds.push_back(speed_of(member));
  if (speeds.size() < 2)
    return {};
  std::sort(speeds.begin(), speeds.end());
  const auto median = speeds[speeds.size() / 2];
  std::vector<std::string> slow;
  for (const auto& member : members)
    if (member.trains && speed_of(member) < 0.8 * median)
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
                    const std::vector<MemberView>& members) {
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
  return answer;
}

} // namespace troupe
