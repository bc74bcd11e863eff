#include "apps/folder/cluster_folder.hpp"

#include "base/failure.hpp"
#include "base/files/checked_text.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/file_content.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace troupe {

namespace {

constexpr const char* claim_file = "cluster.json";

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
  const auto text = file_content(folder / claim_file);
  if (!text)
    return {};
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || state_of(*text) == TextState::changed)
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

} // namespace troupe
