// The length of training on a small table, unless the configuration sets it.
#pragma once

#include "apps/run_config/run_config.hpp"
#include "model/data/problem.hpp"

#include <string>

namespace troupe {

/// The default number of epochs suits thousands of examples; with a table of a hundred rows it
/// would make only 40 steps. If the configuration leaves `training.epochs` at its default and the
/// problem is a table, training takes as many epochs as make some thousand steps, and logs a line
/// for each twentieth of them, unless that was configured. Early stopping is added, too, if it was
/// not configured: training ends when a tenth of the epochs brings no better validation_loss, and
/// the best state is the run's result.
/// @returns a line to print; "" if nothing changed.
std::string lengthen_for_small_table(RunConfig& config, const Problem& problem);

/// A line to print if a linear model, fitted to the same rows in one step, is clearly better on
/// the measured section; else "".
std::string hint_of_linear(const RunConfig& config, const Problem& problem, Section section,
                           const std::string& metric, double value);

} // namespace troupe
