// Which rows a run has trained on, and how it read them: what its problem must not change for them
// to stay apart from those to measure, and for its model to know them.
#pragma once

#include "base/config/node.hpp"

#include <string>

namespace troupe {

/// Whether two sections `problem` name the same problem and the same files.
bool same_files(const config::Node& a, const config::Node& b);

/// A model that is measured on rows that it was trained on looks better than it is. What decides
/// which row is in which section (`split_seed`, the fractions, `missing`) therefore stays a run's
/// own, unless the problem has other files. How its columns are read (`label`, `standardize`, ...)
/// stays the run's own for all files.
/// @param trained the run's section `problem`
/// @param wanted of who goes on with its model
/// @throws ConfigError where rows of the same files would change their sections, or be read
/// otherwise.
void check_same_rows(const config::Node& trained, const config::Node& wanted);

/// The same with the configuration of a run. @param run as `configuration_of_run` takes it
void check_same_rows(const std::string& run, const config::Node& tree);

} // namespace troupe
