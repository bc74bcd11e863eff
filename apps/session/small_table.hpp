// How long a run trains on a small table, where its configuration does not say.
#pragma once

#include "apps/config/run_config.hpp"
#include "model/data/problem.hpp"

#include <string>

namespace troupe {

/// The default number of epochs is for data of thousands of examples; a table of a hundred rows
/// would make 40 steps of it. Where the configuration leaves `training.epochs` at its default and
/// the problem is a table, there are as many epochs as make some thousand steps, and a line of the
/// log for a twentieth of them, unless that was configured.
/// @returns a line for people; "" where nothing changed.
std::string lengthen_for_small_table(RunConfig& config, const Problem& problem);

/// A line for people where a linear model, fitted to the same rows in one step, is clearly better
/// on the section that the run was measured on; else "".
std::string hint_of_linear(const RunConfig& config, const Problem& problem, Section section,
                           const std::string& metric, double value);

} // namespace troupe
