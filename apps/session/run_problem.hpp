// What a run learns from: the problem of its configuration, and of that the rows that its samplers
// choose.
#pragma once

#include "apps/config/run_config.hpp"
#include "model/data/section_sample.hpp"

#include <memory>

namespace troupe {

/// Of a new run. Where it begins with the model of another one, its data are read as that run's
/// were.
/// @throws ConfigError for a problem or sampler that cannot be, and where rows to train on are to
/// validate or test on as well; DataError, FileError for files.
std::shared_ptr<const Problem> problem_of(const RunConfig& config);

/// The same of a run that is there already. @param fit that it keeps (problem_file.hpp)
std::shared_ptr<const Problem> problem_of(const RunConfig& config, const std::string& fit);

/// The rows that a sampler of `training` chooses: of these a problem learns. @throws ConfigError as
/// above, once it is called
ChooseTrainingRows chosen_training_rows(const SamplerOptions& sampler);

/// The same of a problem that was loaded already.
std::shared_ptr<const Problem> sampled(std::shared_ptr<const Problem> problem,
                                       const RunConfig& config);

/// With the sampler of this section alone: what those of the others need may be elsewhere.
std::shared_ptr<const Problem> sampled(std::shared_ptr<const Problem> problem,
                                       const RunConfig& config, Section section);

/// What the problem has read its files as, a line for each thing; "" where it says nothing.
std::string reading_lines(const Problem& problem);

/// @throws ConfigError where this processor cannot make products as is asked.
void check_products(const TrainingOptions& training);

/// The model of a configuration, on this problem. @throws ConfigError where optimizer or model
/// cannot be made, the model does not suit the data, or its products cannot be made as is asked.
std::unique_ptr<Model> model_of(const RunConfig& config, const Problem& problem);

} // namespace troupe
