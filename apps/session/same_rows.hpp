// The settings of a run's problem that must not change later, so that training rows stay apart from
// test rows, and the model can read the rows.
#pragma once

#include "base/config/node.hpp"
#include "model/data/problem.hpp"

#include <filesystem>
#include <string>

namespace troupe {

/// Whether two sections `problem` name the same problem and files.
bool same_files(const config::Node& a, const config::Node& b);

/// A model looks better than it is when it is measured on rows it was trained on. So the settings
/// that assign rows to sections (`split_seed`, the fractions, `missing`) must stay the same unless
/// the files are others. The settings for reading columns (`label`, `standardize`, ...) must stay
/// the same for all files.
/// @param trained the run's section `problem`
/// @param wanted the section of the process that uses the model
/// @throws ConfigError if rows of the same files would change their section or be read differently.
void check_same_rows(const config::Node& trained, const config::Node& wanted);

/// The same with the configuration of a run. @param run as `configuration_of_run` takes it
void check_same_rows(const std::string& run, const config::Node& tree);

/// A warning if the path that a run started with now leads to other data: its test rows could then
/// be among the training rows, and vice versa; else "".
/// @param folder of the run @param fit stored there @param tree configuration of the process that
/// continues
std::string changed_data(const std::filesystem::path& folder, const std::string& fit,
                         const Problem& problem, const config::Node& tree);

} // namespace troupe
