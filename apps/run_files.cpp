#include "troupe/apps/run_files.hpp"

#include "troupe/apps/config/print.hpp"
#include "troupe/apps/result_text.hpp"
#include "troupe/messages/durable_file.hpp"

namespace troupe {

void forget_end(SavedRun& run, Epoch epochs) {
  const auto done = run.trainers.front().position.epochs;
  if (epochs <= done)
    return;
  for (auto& trainer : run.trainers)
    std::erase(trainer.causes, epochs_done(done));
}

std::string repeatable(config::Node tree) {
  tree.erase("control");
  return config::to_yaml(tree);
}

void write_results(const std::filesystem::path& folder, const SessionResult& result) {
  // In this order: a kill in between leaves the last checkpoint, from which the end is repeated.
  write_file(folder / "result.json", result_json(result, folder.string()) + "\n");
  if (result.outcome != Outcome::failed)
    save_run(folder / saved_run_file, result.state);
}

std::optional<FoundRun> begun_run(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / saved_run_file, ignored)
      && !std::filesystem::exists(folder / checkpoint_file, ignored))
    return {};
  return newest_run(folder);
}

std::filesystem::path fresh_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw IoError("cannot make the folder '" + folder.string() + "': " + error.message());
  std::filesystem::remove(folder / "log.jsonl", error);
  return folder;
}

} // namespace troupe
