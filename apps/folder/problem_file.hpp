// problem.json in a run's folder: what the run's problem fitted to its training rows. Rows of other
// files are read with it, as the model expects them.
#pragma once

#include "apps/config/run_config.hpp"
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

/// The fit that a new run starts with: that of the run whose model it loads (`model.load`); "" if
/// it loads none.
std::string fit_to_begin_with(const config::Node& tree);

/// The data that a run's problem yields. If its fit tells that, the data files need not exist any
/// more.
/// @param problem the section of the run's configuration
/// @throws ConfigError, FileError, DataError for a problem that cannot be made.
DataSpec data_spec_of(const config::Node& problem, const std::string& fit);

/// Writes the fit of a run's problem, if it has one, to the run's folder. @throws FileError
void write_fit(const std::filesystem::path& folder, const Problem& problem);

/// A warning if the path that a run started with now leads to other data: its test rows could then
/// be among the training rows, and vice versa; else "".
/// @param folder of the run @param fit stored there @param tree configuration of the process that
/// continues
std::string changed_data(const std::filesystem::path& folder, const std::string& fit,
                         const Problem& problem, const config::Node& tree);

/// Metadata on the problem for files of other programs: `problem` is the fit, `classes` the names
/// of the classes in the order of the model's outputs. @param run as `folder_of_run` takes it
std::map<std::string, std::string> problem_metadata(const std::string& run);

} // namespace troupe
