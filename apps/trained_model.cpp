#include "troupe/apps/trained_model.hpp"

#include "troupe/apps/components.hpp"
#include "troupe/apps/run_config.hpp"
#include "troupe/apps/run_folder.hpp"
#include "troupe/messages/saved_run.hpp"
#include "troupe/model/exchange/parameter_file.hpp"
#include "troupe/version.hpp"

namespace troupe {

namespace {

/// The path that is meant, which exists.
std::filesystem::path existing_path(const std::string& run) {
  const auto path = path_of_run(run);
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw FileError("there is no '" + path.string()
                    + "'; give the folder of a run, one of its files, or 'latest'");
  return path;
}

/// Beside the states of a run, and one folder above the models that it keeps.
std::filesystem::path config_of(const std::filesystem::path& run) {
  const auto folder = std::filesystem::is_directory(run) ? run : run.parent_path();
  const auto above = folder / ".." / "config.yaml";
  const auto beside = folder / "config.yaml";
  return !std::filesystem::exists(beside) && std::filesystem::exists(above) ? above : beside;
}

NamedParameters parameters_of_run(const SavedRun& run, const std::string& path) {
  const auto& trainer = run.trainers.front();
  const auto& own = trainer.parameters.values;
  NamedParameters result{trainer.layout, own, {}};
  if (run.shared && run.shared->values.size() >= own.size()) // behind them, optimizers' state
    result.values = Block::copy_of(
      run.shared->values.view().first(static_cast<std::size_t>(trainer.layout.size())));
  result.metadata = {{"program", std::string{"troupe "} + version},
                     {"run", path},
                     {"batches", std::to_string(trainer.position.batches)}};
  return result;
}

} // namespace

NamedParameters trained_parameters(const std::string& run) {
  const auto path = existing_path(run);
  if (is_parameter_file(path.string()))
    return read_parameter_file(path.string());
  if (!std::filesystem::is_directory(path))
    return parameters_of_run(load_run(path), path.string());
  const auto found = newest_run(path);
  return parameters_of_run(found.run, found.path.string());
}

TrainedModel trained_model(const std::string& run) {
  const auto path = existing_path(run);
  const auto config = config_of(path);
  if (!std::filesystem::exists(config))
    throw FileError("there is no '" + config.string()
                    + "', which says what model the parameters belong to; give the folder of a "
                      "run, or a file in it");
  ConfigSources sources;
  sources.files = {config};
  const auto tree = read_run_config(sources).tree;
  TrainedModel result;
  result.data = make_problem(*tree.find("problem"))->spec();
  result.model = make_model(*tree.find("model"), result.data);
  result.parameters = trained_parameters(run);
  if (const auto difference = result.model->layout().difference(result.parameters.layout);
      !difference.empty())
    throw DataError("'" + run + "' is not of the model in '" + config.string() + "': " + difference
                    + "; give a file of that run");
  return result;
}

} // namespace troupe
