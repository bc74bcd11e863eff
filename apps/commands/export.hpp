// troupe export: writes the parameters of a run or of a cluster's holders for other programs.
#pragma once

#include "apps/cluster/holder_query.hpp"

#include <string>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct ExportCommand {
  std::string run;
  std::string
    output; ///< the suffix is the format: .safetensors, .npz or .onnx; for holders also .bin
  HolderQuery holders; ///< the holders to ask; no address: export the run's own parameters
};

void add_export(CLI::App& app, ExportCommand& command);

/// @returns the exit code of the program. @throws Failure, IoError, DataError
int export_run(const ExportCommand& command);

} // namespace troupe
