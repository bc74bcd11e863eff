// problem.json in a run's folder: what the run's problem fitted to its training rows. Rows of other
// files are read with it, as the model expects them.
#pragma once

#include "base/config/node.hpp"
#include "model/data/problem.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace troupe {

inline constexpr const char* problem_file = "problem.json";

/// The fit of the run in a folder (model/data/fitted_problem.hpp); "" if it keeps none, since the
/// run is of an older program or its problem fits nothing.
/// @param problem the section of the reader: the fit of a problem of another name is not returned
/// @throws DataError if the file is damaged.
std::string fit_in(const std::filesystem::path& folder, const config::Node& problem);

/// Checks that the problem, which was made with the fit, knows all members of it: an ignored member
/// would change how rows are read.
/// @throws DataError
void check_fit(const std::string& fit, const Problem& problem);

/// Writes the fit of a run's problem, if it has one, to the run's folder. @throws IoError
void write_fit(const std::filesystem::path& folder, const Problem& problem);

/// Metadata on the problem for files of other programs: `problem` is the fit, `classes` the names
/// of the classes in the order of the model's outputs. @param run as `folder_of_run` takes it
std::map<std::string, std::string> problem_metadata(const std::string& run);

} // namespace troupe
