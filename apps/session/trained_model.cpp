#include "apps/session/trained_model.hpp"

#include "apps/catalog/components.hpp"
#include "apps/folder/cluster_folder.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_files.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/session/reported_state.hpp"
#include "apps/session/run_problem.hpp"
#include "base/files/checked_text.hpp"
#include "messages/checkpoint/found_run.hpp"
#include "model/formats/parameter_file.hpp"
#include "troupe/version.hpp"

#include <iostream>

namespace troupe {

namespace {

RunConfig configuration_in(const std::filesystem::path& file) {
  ConfigSources sources;
  sources.files = {file};
  return read_run_config(sources);
}

void check_same(const Layout& model, const NamedParameters& parameters, const std::string& run) {
  if (const auto difference = model.difference(parameters.layout); !difference.empty())
    throw DataError("'" + run + "' is not of the model in '" + configuration_of_run(run).string()
                    + "': " + difference + "; give a file of that run");
}

NamedParameters parameters_of_run(const SavedRun& run, const std::string& path) {
  const auto& trainer = run.trainers.front();
  const auto config = std::filesystem::path{path}.parent_path() / "config.yaml";
  const auto needs_config = run.shared && std::filesystem::exists(config); // reading it takes long
  NamedParameters result{
    trainer.layout, parameters_of(run, needs_config ? configuration_in(config) : RunConfig{}), {}};
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
  const auto best = std::filesystem::is_directory(path) ? best_state_in(path) : path;
  if (best != path && !best.empty())
    std::cerr << "the model is that of " << best.string()
              << ", the best state by early stopping; the last one is in " << saved_run_file
              << " beside it\n";
  const auto found = run_at(best.empty() ? path : best, checkpoints_of(path), RunPart::parameters);
  say_warnings(found);
  return parameters_of_run(found.run, found.path.string());
}

std::unique_ptr<Model> model_of_run(const config::Node& tree, const DataSpec& data,
                                    const NamedParameters& parameters, const std::string& run) {
  auto model = make_model(*tree.find("model"), data);
  check_same(model->layout(), parameters, run);
  return model;
}

TrainedModel model_with(const std::string& run, const ParametersFor& parameters) {
  const auto tree = configuration_in(configuration_of_run(run)).tree;
  TrainedModel result;
  const auto& problem = *tree.find("problem");
  result.data = data_spec_of(problem, fit_in(folder_of_run(run), problem));
  result.model = make_model(*tree.find("model"), result.data);
  result.parameters = parameters(result.model->layout());
  return result;
}

TrainedModel trained_model(const std::string& run) {
  return model_with(run, [&run](const Layout& layout) {
    auto parameters = trained_parameters(run);
    check_same(layout, parameters, run);
    return parameters;
  });
}

} // namespace troupe
