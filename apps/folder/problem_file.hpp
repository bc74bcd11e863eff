// problem.json in a run's folder: what the run's problem has fitted to its training rows, so that
// rows of other files are read as its model knows them.
#pragma once

#include "apps/config/run_config.hpp"
#include "model/data/problem.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace troupe {

inline constexpr const char* problem_file = "problem.json";

/// What the run in a folder has fitted (model/data/fitted_problem.hpp). "" where it keeps nothing,
/// as a run of an older program and one whose problem fits nothing.
/// @param problem the section of who wants it: the fit of a problem of another name is not its
/// @throws DataError where the file is damaged.
std::string fit_in(const std::filesystem::path& folder, const config::Node& problem);

/// Whether a problem knows all that a fit says, which it was made with: a member that it has passed
/// over would change how it reads its rows.
/// @throws DataError
void check_fit(const std::string& fit, const Problem& problem);

/// What a new run reads its data by: the fit of the run whose model it begins with (`model.load`);
/// "" where it begins with none.
std::string fit_to_begin_with(const config::Node& tree);

/// What a run's problem gives. Where its fit tells that, its files need not be there any more.
/// @param problem the section of the run's configuration
/// @throws ConfigError, FileError, DataError for a problem that cannot be made.
DataSpec data_spec_of(const config::Node& problem, const std::string& fit);

/// Leaves the fit of a run's problem in its folder, where it has one. @throws FileError
void write_fit(const std::filesystem::path& folder, const Problem& problem);

/// "" unless the path that a run was begun with leads to other data now; rows that it has kept to
/// test on could then be among those to train on, and the other way round.
/// @param folder of the run @param fit that it keeps there @param tree of who goes on with it
std::string changed_data(const std::filesystem::path& folder, const std::string& fit,
                         const Problem& problem, const config::Node& tree);

/// What a file for other programs says of the problem: `problem` is the fit, `classes` the names of
/// the classes in the order of the model's outputs. @param run as `folder_of_run` takes it
std::map<std::string, std::string> problem_metadata(const std::string& run);

} // namespace troupe
