// The trained parameters and model of a run, for subcommands that use them.
#pragma once

#include "base/config/node.hpp"
#include "model/formats/named_parameters.hpp"
#include "model/training/model.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace troupe {

/// The parameters of a run: the shared ones, if workers shared them and have no newer ones. The
/// metadata say where they come from.
/// @param run a run's folder (its newest state), one of its files, 'latest', or a file of another
/// program, *.safetensors or *.npz
/// @throws IoError, DataError if there are no readable parameters.
NamedParameters trained_parameters(const std::string& run);

/// The model of a run's configuration, or of a similar one. @throws DataError if the parameters do
/// not fit it.
std::unique_ptr<Model> model_of_run(const config::Node& tree, const DataSpec& data,
                                    const NamedParameters& parameters, const std::string& run);

struct TrainedModel {
  DataSpec data; ///< of the problem that it was trained on
  std::unique_ptr<Model> model;
  NamedParameters parameters;
};

/// The model of a run's config.yaml, or of a configuration file, with parameters made by
/// `parameters` for its layout.
using ParametersFor = std::function<NamedParameters(const Layout& layout)>;
TrainedModel model_with(const std::string& run, const ParametersFor& parameters);

/// The same with the parameters of the run. Its config.yaml is beside the file or, for a saved
/// model, in the parent folder.
/// @throws IoError, DataError, ConfigError if the model cannot be made or the parameters do not
/// fit it.
TrainedModel trained_model(const std::string& run);

} // namespace troupe
