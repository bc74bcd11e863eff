#pragma once

#include "apps/config/run_config.hpp"
#include "model/data/problem.hpp"

#include <memory>
#include <string>

namespace troupe {

/// "reading penguins.csv", "drawing digits": what it takes to make the problem of a section.
std::string making_text(const config::Node& problem);

/// The problem of a configuration (run_problem.hpp). Where making it takes long, people read of it.
/// @param shown false: they do not
std::shared_ptr<const Problem> shown_problem_of(const RunConfig& config, const std::string& fit,
                                                bool shown);

} // namespace troupe
