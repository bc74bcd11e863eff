// troupe export: writes what a run has trained, or the holders of a cluster keep, for other
// programs.
#pragma once

#include "apps/cluster/asked_holders.hpp"

#include <string>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct ExportCommand {
  std::string run;
  std::string output; ///< its ending says the format: .safetensors, .npz or .onnx; of holders .bin
  AskedHolders holders; ///< whose parameters; no address: the run's own
};

void add_export(CLI::App& app, ExportCommand& command);

/// @returns the exit code of the program. @throws Failure, FileError, DataError for what cannot be.
int export_run(const ExportCommand& command);

} // namespace troupe
