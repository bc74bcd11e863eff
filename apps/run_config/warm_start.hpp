// Training that starts with the parameters of another model: `model.load`, `--model`.
#pragma once

#include "apps/run_config/run_config.hpp"
#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

/// Replaces `latest`, and links like runs/latest, by the run or file itself, in `model.load` and in
/// the path of each extension that loads a file: the link will point to the new run before that opens
/// the files, while a written configuration has to repeat its run. Missing files are left as they
/// are, to be reported later. `required: false`, from earlier versions, becomes `optional: true`.
void settle_loads(config::Node& tree);

/// The file of `model.load`; "" if the configuration has none.
std::string model_to_load(const config::Node& tree);

/// Checks that what a new run starts with exists and fits: the file of `model.load`, and those of
/// extensions that load one, except for what may be missing (`optional`, `strict`).
/// @param first_worker of this process
/// @throws IoError if a file does not exist or cannot be read, DataError if it is damaged or its
/// parameters have other names or shapes.
void check_loads(const RunConfig& config, const Layout& layout, WorkerId first_worker = 0);

/// The extension that loads the file's parameters, and nothing else, before the first batch.
ConfiguredExtension warm_start(const std::string& path);

} // namespace troupe
