// The problems, models and optimizers that a configuration can name.
#pragma once

#include "base/config/node.hpp"
#include "base/failure.hpp"
#include "model/data/section_sample.hpp"
#include "model/optimizers/optimizer_kind.hpp"
#include "model/training/model.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// A component's section is a map of its `name` and its options:  optimizer: {name: adam,
/// learning_rate: 1e-3}
///
/// @returns the options' default values, with the name first.
/// @throws ConfigError for an unknown name, with the nearest known one. `source`: where the name
/// was set.
config::Node problem_defaults(const std::string& name, const std::string& source);
config::Node model_defaults(const std::string& name, const std::string& source);
config::Node optimizer_defaults(const std::string& name, const std::string& source);

/// @param fit what the problem of an earlier run has fitted (model/data/fitted_problem.hpp); "": it
/// is fitted to the training rows
/// @param choose the training rows, if they are not the whole training section
/// @throws ConfigError for invalid options; DataError, IoError for the problem's files.
std::shared_ptr<const Problem> make_problem(const config::Node& section,
                                            const std::string& fit = "",
                                            const ChooseTrainingRows& choose = {});
std::unique_ptr<Model> make_model(const config::Node& section, const DataSpec& data);

/// Whether the problem generates its examples instead of reading them from files.
bool makes_examples(const config::Node& section);

OptimizerFactory make_optimizer_factory(const config::Node& section);
/// optimizer: {scales: [{match: "*.bias", weight_decay: 0}]}
/// @throws ConfigError
std::vector<ParameterScale> optimizer_scales(const config::Node& section);

/// @throws UsageError unless it is train, validation or test
Section section_from(const std::string& text);

/// The known names, for help texts.
std::vector<std::string> problem_names();
std::vector<std::string> model_names();
std::vector<std::string> optimizer_names();

} // namespace troupe
