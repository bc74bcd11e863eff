#include "apps/folder/cluster_folder.hpp"

#include "base/files/data_error.hpp"
#include "base/files/durable_file.hpp"
#include "base/text/checked_text.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <string>

namespace troupe {

namespace {

constexpr const char* claim_file = "cluster.json";

std::string numbered_worker(WorkerId worker, WorkerId workers) {
  return "worker " + std::to_string(worker) + " of " + std::to_string(workers);
}

/// The folder's path without a trailing slash, as left by shell completion.
std::filesystem::path without_slash(const std::filesystem::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

} // namespace

std::filesystem::path folder_of_worker(const std::filesystem::path& run, WorkerId worker) {
  return run / ("worker-" + std::to_string(worker));
}

void claim(const std::filesystem::path& folder, const ClusterFolder& claim) {
  nlohmann::json json{{"workers", claim.workers}};
  if (claim.worker)
    json["worker"] = *claim.worker;
  else
    json["holders"] = claim.holders;
  write_file(folder / claim_file, json_with_checksum(json.dump(2) + "\n"));
}

std::optional<ClusterFolder> claim_of(const std::filesystem::path& folder) {
  std::ifstream file{folder / claim_file, std::ios::binary};
  if (!file)
    return {};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || state_of(text) == TextState::changed)
    throw DataError("'" + (folder / claim_file).string()
                    + "', which says whose folder it is in a cluster, is damaged"
                    + (json.is_object() ? ": its checksum is wrong" : "")
                    + "; restore it from a copy, or train in another folder");
  const auto number = [&json](const char* name, int otherwise) {
    const auto found = json.find(name);
    return found != json.end() && found->is_number_integer() ? found->get<int>() : otherwise;
  };
  ClusterFolder claim;
  if (const auto worker = number("worker", -1); worker >= 0)
    claim.worker = static_cast<WorkerId>(worker);
  claim.workers = static_cast<WorkerId>(std::max(1, number("workers", 1)));
  claim.holders = std::max(1, number("holders", 1));
  return claim;
}

bool is_launched(const std::filesystem::path& folder) {
  const auto claim = claim_of(folder);
  return claim && !claim->worker;
}

void check_claim(const std::filesystem::path& folder, const ClusterMember* member) {
  const auto claim = claim_of(folder);
  if (!claim || !claim->worker)
    return;
  const auto whose = "'" + folder.string() + "' is the folder of "
                     + numbered_worker(*claim->worker, claim->workers) + " of a cluster";
  if (member != nullptr) {
    if (*claim->worker != member->worker || claim->workers != member->workers)
      throw ConfigError(whose + ", and this process is "
                        + numbered_worker(member->worker, member->workers)
                        + "; give the folder that this worker had, or a new one");
    return;
  }
  if (claim->workers == 1)
    return;
  const auto run = without_slash(folder).parent_path();
  const auto command = is_launched(run) ? "`troupe launch --folder " + run.string() + "`"
                                        : "its command `troupe node ... --folder " + folder.string()
                                            + "`, next to the other workers";
  throw ConfigError(whose + ", which trained on its share of the data; continue with " + command
                    + ", or train alone from its parameters with `troupe train --model "
                    + folder.string() + "`");
}

std::string resume_hint(const std::filesystem::path& folder, const ClusterMember* member) {
  if (member == nullptr)
    return "continue with: troupe train --resume " + folder.string();
  if (member->launched)
    return {};
  if (member->folder_of_job)
    return "its job continues when it is requeued";
  return member->folder.empty() ? "continue with the same command and --folder " + folder.string()
                                : "continue with the same command";
}

} // namespace troupe
