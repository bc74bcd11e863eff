#include "apps/session/run_end.hpp"

#include "apps/run_config/wanted_extensions.hpp"
#include "apps/session/result_text.hpp"
#include "base/files/durable_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace troupe {

namespace {

/// Whether a run ended by a limit which is now higher.
bool was_raised(const std::string& reason, const Position& ended, const RunConfig& config) {
  if (!config.trainer)
    return says_epochs_done(reason, ended.epochs) && config.training.epochs > ended.epochs;
  const auto kind = config.trainer->kind;
  const auto& limits = config.trainer->limits;
  const auto below = [](std::uint64_t count, std::int64_t limit) {
    return limit <= 0 || count < static_cast<std::uint64_t>(limit);
  };
  return (reason == status_text(TerminationCause::epochs, kind)
          && below(ended.epochs, limits.epoch_limit))
         || (reason == status_text(TerminationCause::episodes, kind)
             && below(ended.batches, limits.episode_limit));
}

/// The content of result.json; not an object if there is none.
nlohmann::json written_result(const std::filesystem::path& folder) {
  std::ifstream file{folder / "result.json"};
  return nlohmann::json::parse(file, nullptr, false);
}

/// "" if it is not text, as in a damaged result.
std::string text_in_result(const nlohmann::json& result, const char* name) {
  if (!result.is_object())
    return "";
  const auto found = result.find(name);
  return found != result.end() && found->is_string() ? found->get<std::string>() : "";
}

} // namespace

void forget_end(SavedRun& run, Epoch epochs) {
  const auto done = run.trainers.front().position.epochs;
  if (epochs <= done)
    return;
  for (auto& trainer : run.trainers)
    std::erase_if(trainer.causes,
                  [done](const auto& cause) { return says_epochs_done(cause, done); });
}

std::string reached_end(const SavedRun& run, const TrainingOptions& training, WorkerId workers) {
  const auto each = batches_of_each(training, workers);
  const auto all = [&](auto reached) {
    return std::all_of(run.trainers.begin(), run.trainers.end(),
                       [&](const SavedTrainer& trainer) { return reached(trainer.position); });
  };
  if (training.epochs > 0 && all([&](const Position& at) { return at.epochs >= training.epochs; }))
    return epochs_done(run.trainers.front().position.epochs);
  if (each > 0 && all([&](const Position& at) { return at.batches >= each; }))
    return batches_done(training.batches);
  return {};
}

std::optional<std::string> written_end(const std::filesystem::path& folder, const FoundRun& found,
                                       const RunConfig& config) {
  if (found.path.filename() != saved_run_file)
    return {};
  const auto result = written_result(folder);
  if (text_in_result(result, "outcome") != to_string(Outcome::finished))
    return {};
  Step batches = 0;
  for (const auto& trainer : found.run.trainers)
    batches += trainer.position.batches;
  const auto reason = text_in_result(result, "reason");
  const auto counted = result.find("batches");
  if (counted == result.end() || !counted->is_number_unsigned() || counted->get<Step>() != batches
      || was_raised(reason, found.run.trainers.front().position, config))
    return {};
  return reason;
}

std::string written_reason(const std::filesystem::path& folder) {
  return text_in_result(written_result(folder), "reason");
}

std::optional<std::string> unrequested_stop(const std::filesystem::path& folder) {
  const auto result = written_result(folder);
  if (!result.is_object() || result.value("outcome", "") != to_string(Outcome::interrupted)
      || result.value("asked_to_end", true))
    return {};
  return result.value("reason", "");
}

void write_results(const std::filesystem::path& folder, const SessionResult& result,
                   const std::filesystem::path& home) {
  // In this order: a kill in between leaves the last checkpoint, from which the end is redone.
  write_file(folder / "result.json", result_json(result, home.string()) + "\n");
  if (result.outcome != Outcome::failed)
    save_run(folder / saved_run_file, result.state);
}

} // namespace troupe
