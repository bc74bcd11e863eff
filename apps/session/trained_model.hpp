// What a run has trained, for subcommands that use it.
#pragma once

#include "base/config/node.hpp"
#include "model/formats/named_parameters.hpp"
#include "model/training/model.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace troupe {

/// The parameters of a run, the shared ones where several workers shared them and have none that
/// are newer. The metadata say where they come from.
/// @param run a run's folder (its newest state), one of its files, 'latest', or a file of another
/// program, *.safetensors or *.npz
/// @throws FileError, DataError where there are none that can be read.
NamedParameters trained_parameters(const std::string& run);

/// The folder in which a run's files lie. @throws FileError where there is none.
std::filesystem::path folder_of_run(const std::string& run);

/// The config.yaml that lies beside a run's parameters, or *.yaml itself. @throws FileError where
/// there is none.
std::filesystem::path configuration_of_run(const std::string& run);

/// The model of a run's configuration, or of one that differs in other things. @throws DataError
/// where the parameters are not its.
std::unique_ptr<Model> model_of_run(const config::Node& tree, const DataSpec& data,
                                    const NamedParameters& parameters, const std::string& run);

struct TrainedModel {
  DataSpec data; ///< of the problem on which it was trained
  std::unique_ptr<Model> model;
  NamedParameters parameters;
};

/// The model of a run's config.yaml, or of a configuration, with the parameters that `parameters`
/// gives for its layout.
using ParametersFor = std::function<NamedParameters(const Layout& layout)>;
TrainedModel model_with(const std::string& run, const ParametersFor& parameters);

/// The same with the parameters of the run. Its config.yaml lies beside the file or, of a kept
/// model, one folder above it.
/// @throws FileError, DataError, ConfigError where it cannot be made, or the parameters are not
/// its.
TrainedModel trained_model(const std::string& run);

} // namespace troupe
