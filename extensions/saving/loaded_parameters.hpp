// The parameters that training can start with: those of an earlier run, or of another program.
#pragma once

#include "extensions/support/logged_rows.hpp"
#include "messages/checkpoint/found_run.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The run at a path; for a file of parameters of another program, a run with only these.
/// @param checkpoints their names by folder; null: the default names
/// @throws IoError, DataError
FoundRun run_to_load(const std::string& path, const CheckpointNames& checkpoints = {});

/// `target` with the values of each parameter that `saved` has under the same name.
struct LoadedParameters {
  Block values;
  std::vector<std::string> missing; ///< names that only the target has
  std::vector<std::string> unknown; ///< names that only the saved layout has
};
/// @throws std::invalid_argument for a parameter of another shape.
LoadedParameters load_by_name(const Layout& layout, Block target, const Layout& saved_layout,
                              const Block& saved);

} // namespace troupe
