#pragma once

#include "apps/run_config/run_config.hpp"
#include "model/data/problem.hpp"

#include <memory>
#include <string>

namespace troupe {

/// "reading penguins.csv", "drawing digits": how the problem of a section is made.
std::string making_text(const config::Node& problem);

/// The problem of a configuration (run_problem.hpp), with a progress line if making it takes long.
/// @param shown false: without the line
std::shared_ptr<const Problem> shown_problem_of(const RunConfig& config, const std::string& fit,
                                                bool shown);

} // namespace troupe
