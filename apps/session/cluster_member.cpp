#include "apps/session/cluster_member.hpp"

#include "apps/folder/cluster_folder.hpp"
#include "base/failure.hpp"

namespace troupe {

namespace {

std::string numbered_worker(WorkerId worker, WorkerId workers) {
  return "worker " + std::to_string(worker) + " of " + std::to_string(workers);
}

/// The folder's path without a trailing slash, as left by shell completion.
std::filesystem::path without_slash(const std::filesystem::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

} // namespace

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
