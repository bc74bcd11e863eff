#include "apps/folder/run_files.hpp"

#include "apps/catalog/wanted_extensions.hpp"
#include "apps/config/print.hpp"
#include "apps/config/run_defaults.hpp"
#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/session/result_text.hpp"
#include "base/files/durable_file.hpp"
#include "base/text/checked_text.hpp"
#include "messages/checkpoint/found_run.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <utility>

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
  return (reason == status_text(TerminalCause::epochs, kind)
          && below(ended.epochs, limits.epoch_limit))
         || (reason == status_text(TerminalCause::episodes, kind)
             && below(ended.batches, limits.episode_limit));
}

/// Renames the log of a run that cannot be resumed.
void set_log_aside(const std::filesystem::path& folder) {
  const auto log = folder / "log.jsonl";
  if (!is_there(log))
    return;
  auto aside = log;
  for (int i = 1; std::filesystem::exists(aside); ++i)
    aside = folder / ("log." + std::to_string(i) + ".jsonl");
  std::error_code error;
  std::filesystem::rename(log, aside, error);
  if (error)
    throw IoError("cannot rename '" + log.string() + "': " + error.message());
  std::cerr << "warning: the run in '" << folder.string()
            << "' left no state to resume from and starts again; its log is now '" << aside.string()
            << "'\n";
}

/// The file written by an extension that a run can be resumed from, if it lies beside the
/// configuration; "" for none.
std::string checkpoint_name(const std::string& extension, const config::Node& section) {
  const auto type = config::text_at(section, {"type"});
  const auto* resumable = section.find("resumable");
  if ((type.empty() ? extension : type) != "checkpoint"
      || (resumable != nullptr && is_off(*resumable)))
    return "";
  const auto path = std::filesystem::path{config::text_at(section, {"path"})}.lexically_normal();
  return path.has_parent_path() ? "" : path.string();
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

void write_configuration(const std::filesystem::path& folder, const std::string& yaml) {
  write_file(folder / "config.yaml", yaml_with_checksum(yaml));
}

std::string repeatable(config::Node tree) {
  tree.erase("control");
  return config::to_yaml(tree);
}

void write_results(const std::filesystem::path& folder, const SessionResult& result,
                   const std::filesystem::path& home) {
  // In this order: a kill in between leaves the last checkpoint, from which the end is redone.
  write_file(folder / "result.json", result_json(result, home.string()) + "\n");
  if (result.outcome != Outcome::failed)
    save_run(folder / saved_run_file, result.state);
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return !error && bytes > 0;
}

std::vector<std::string> checkpoints_of(const std::filesystem::path& folder) {
  std::vector<std::string> names{checkpoint_file};
  try {
    const auto tree = config::read_yaml_file(folder / "config.yaml");
    if (const auto* extensions = tree.find("extensions"))
      for (const auto& [extension, section] : extensions->entries())
        if (auto name = checkpoint_name(extension, section); !name.empty())
          names.push_back(std::move(name));
  } catch (const ConfigError&) { // reported when the whole file is read
  }
  return names;
}

bool has_state(const std::filesystem::path& folder) {
  return !states_in(folder, checkpoints_of(folder)).empty();
}

void keep_findable(const FoundRun& found, const std::filesystem::path& folder) {
  const auto states = states_in(folder, checkpoints_of(folder));
  std::error_code ignored; // a file system may lack links
  if (std::none_of(states.begin(), states.end(),
                   [&](const auto& state) { return state.filename() == found.path.filename(); }))
    std::filesystem::create_hard_link(found.path, folder / checkpoint_file, ignored);
}

void say_warnings(const FoundRun& found) {
  for (const auto& sentence : warnings_of(found))
    std::cerr << "warning: " << sentence << "\n";
}

std::optional<FoundRun> begun_run(const std::filesystem::path& folder) {
  if (!has_state(folder))
    return {};
  return newest_run(folder, checkpoints_of(folder));
}

std::filesystem::path fresh_folder(const std::filesystem::path& folder) {
  make_folder(folder);
  set_log_aside(folder);
  return folder;
}

} // namespace troupe
