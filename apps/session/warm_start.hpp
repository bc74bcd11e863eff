// Training that begins with the parameters of an earlier model: `model.load`, `--model`.
#pragma once

#include "apps/config/run_config.hpp"
#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

/// Puts the run or file itself in the place of `latest`, and of links like runs/latest, in
/// `model.load` and in the path of each extension of kind load: the link is pointed to the run that
/// loads them before that opens them, and later to others, while a configuration repeats its run.
/// What is not there stays, for whoever opens it to tell of. `required: false`, which runs of
/// earlier versions have, becomes `optional: true`.
void settle_loads(config::Node& tree);

/// The file of `model.load`; "" where the configuration has none.
std::string model_to_load(const config::Node& tree);

/// That what a new run is to begin with is there and fits: the file of `model.load`, and those of
/// extensions of kind load, but for what may be missing there (`optional`, `strict`). Creates
/// nothing.
/// @param first_worker of this process
/// @throws FileError where a file is not there or cannot be read, DataError where it is damaged or
/// its parameters have other names or shapes.
void check_loads(const RunConfig& config, const Layout& layout, WorkerId first_worker = 0);

/// The extension that loads the file's parameters before the first batch, and nothing else of it.
ConfiguredExtension warm_start(const std::string& path);

} // namespace troupe
