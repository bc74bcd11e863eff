#include "apps/session/resumed_run.hpp"

#include "apps/catalog/trainer_rules.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/run_config/wanted_extensions.hpp"
#include "apps/session/run_end.hpp"
#include "base/failure.hpp"
#include "messages/checkpoint/found_run.hpp"

#include <filesystem>
#include <iostream>

namespace troupe {

namespace {

/// The run named by `--resume`: the last run, a run's folder, or one of its files.
FoundRun found_run(const std::string& resume) {
  const auto path = path_of_run(resume);
  std::error_code error;
  const auto whole = std::filesystem::canonical(path, error);
  if (error)
    throw IoError("cannot resume from '" + path.string() + "': " + error.message()
                  + "; give the folder of a run, or 'latest'");
  if (is_launched(whole))
    throw ConfigError("'" + path.string() + "' is the folder of a launched run of "
                      + std::to_string(claim_of(whole)->workers)
                      + " workers; continue with `troupe launch --folder " + path.string() + "`");
  return run_at(whole, checkpoints_of(whole));
}

/// The keys of the limits that were reached, with larger values.
std::string more_of(const std::string& reached, const Position& at, const RunConfig& config) {
  const auto epochs = says_epochs_done(reached, at.epochs)
                      || (config.training.epochs > 0 && at.epochs >= config.training.epochs);
  const auto batches = !says_epochs_done(reached, at.epochs)
                       || (config.training.batches > 0 && at.batches >= config.training.batches);
  std::string more;
  if (batches)
    more = "training.batches=" + std::to_string(2 * config.training.batches);
  if (epochs)
    more += (more.empty() ? "" : " ")
            + std::string{config.trainer ? "training.terminal_conditions.epoch_limit="
                                         : "training.epochs="}
            + std::to_string(at.epochs + 10);
  return more;
}

} // namespace

std::filesystem::path folder_to_resume(const std::string& wanted, const std::string& given) {
  std::error_code missing;
  const auto path = std::filesystem::canonical(
    wanted.empty() ? std::filesystem::path{given} : path_of_run(wanted), missing);
  return missing || std::filesystem::is_directory(path) ? path : path.parent_path();
}

std::optional<FoundRun> run_to_resume(const std::string& wanted, const std::string& given,
                                      const ClusterMember* member) {
  std::optional<FoundRun> found;
  if (!wanted.empty())
    found = found_run(wanted);
  else if (!given.empty())
    found = begun_run(given);
  if (!found)
    return found;
  say_warnings(*found);
  check_claim(found->path.parent_path(), member);
  if (member != nullptr)
    std::cerr << (member->restarted ? "the job starts again: " : "") << "resuming from "
              << found->path.string() << "\n";
  return found;
}

namespace {

ConfigError nothing_left(const std::string& why, const std::string& more) {
  return ConfigError("the run has nothing left to do: " + why + "; give it more, like " + more);
}

} // namespace

void check_limits(const FoundRun& found, const RunConfig& config) {
  const auto ended
    = config.trainer ? written_end(found.path.parent_path(), found, config) : std::nullopt;
  if (!ended)
    return;
  const auto& at = found.run.trainers.front().position;
  const auto refuse = [&](const std::string& limit, std::uint64_t more) {
    throw nothing_left(*ended,
                       "training.terminal_conditions." + limit + "=" + std::to_string(more));
  };
  if (*ended == status_text(TerminationCause::epochs, config.trainer->kind))
    refuse("epoch_limit", at.epochs + 10);
  if (*ended == status_text(TerminationCause::episodes, config.trainer->kind))
    refuse("episode_limit", 2 * at.batches);
}

SavedRun unfinished(SavedRun run, const RunConfig& config, WorkerId workers) {
  forget_end(run, config.training.epochs);
  const auto& first = run.trainers.front();
  const auto reached = reached_end(run, config.training, workers);
  if (!reached.empty() && first.causes.empty())
    throw nothing_left(reached + " already", more_of(reached, first.position, config));
  forget_terminal_causes(run);
  return run;
}

} // namespace troupe
