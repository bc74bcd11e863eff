// The data of a run: the problem of its configuration, with the rows that its samplers choose.
#pragma once

#include "apps/run_config/run_config.hpp"
#include "model/data/section_sample.hpp"

#include <memory>

namespace troupe {

/// For a new run. If it starts with the model of another run, its data are read as that run's were.
/// @throws ConfigError for an invalid problem or sampler, and for rows that are both trained on and
/// validated or tested on; DataError, IoError for files.
std::shared_ptr<const Problem> problem_of(const RunConfig& config);

/// The same for an existing run. @param fit stored by it (problem_file.hpp)
std::shared_ptr<const Problem> problem_of(const RunConfig& config, const std::string& fit);

/// The rows chosen by a sampler of `training`, which the problem is fitted to. @throws ConfigError
/// as above, when called
ChooseTrainingRows chosen_training_rows(const SamplerOptions& sampler);

/// The same for a problem that is already loaded.
std::shared_ptr<const Problem> sampled(std::shared_ptr<const Problem> problem,
                                       const RunConfig& config);

/// Applies only the sampler of this section: the files of the others may be elsewhere.
std::shared_ptr<const Problem> sampled(std::shared_ptr<const Problem> problem,
                                       const RunConfig& config, Section section);

/// How the problem interpreted its files, as lines; "" if it reports nothing.
std::string reading_lines(const Problem& problem);

/// @throws ConfigError if this processor does not support the chosen products.
void check_products(const TrainingOptions& training);

/// The model of a configuration, on this problem. @throws ConfigError if optimizer or model cannot
/// be made, the model does not suit the data, or the chosen products are not supported.
std::unique_ptr<Model> model_of(const RunConfig& config, const Problem& problem);

/// The fit that a new run starts with: that of the run whose model it loads (`model.load`); "" if
/// it loads none.
std::string fit_to_begin_with(const config::Node& tree);

/// The data that a run's problem yields. If its fit tells that, the data files need not exist any
/// more.
/// @param problem the section of the run's configuration
/// @throws ConfigError, IoError, DataError for a problem that cannot be made.
DataSpec data_spec_of(const config::Node& problem, const std::string& fit);

} // namespace troupe
