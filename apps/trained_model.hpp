// What a run has trained, for subcommands that use it.
#pragma once

#include "troupe/model/exchange/named_parameters.hpp"
#include "troupe/model/model.hpp"

#include <memory>
#include <string>

namespace troupe {

/// The parameters of a run, the shared ones where several workers shared them. The metadata say
/// where they come from.
/// @param run a run's folder (its newest state), one of its files, 'latest', or a file of another
/// program, *.safetensors or *.npz
/// @throws FileError, DataError where there are none that can be read.
NamedParameters trained_parameters(const std::string& run);

struct TrainedModel {
  DataSpec data; ///< of the problem on which it was trained
  std::unique_ptr<Model> model;
  NamedParameters parameters;
};

/// The same with the model of the run's config.yaml, which lies beside the file or, of a kept
/// model, one folder above it.
/// @throws FileError, DataError, ConfigError where it cannot be made, or the parameters are not
/// its.
TrainedModel trained_model(const std::string& run);

} // namespace troupe
