// Several tests of one model with different settings:
//
//   testing:
//     multi_tests:
//       test: [1000, 4000]          # leaves of problem and testing by name
//       problem.max_length: [5, 20] # or path; the first values make the first test
#pragma once

#include "base/config/node.hpp"
#include "base/failure.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// The configuration of each test in `testing.multi_tests`, in order, without that key; the
/// configuration itself if there are no lists.
/// @throws ConfigError for lists of unequal lengths and for names that are not, or not uniquely, a
/// setting of `problem` or `testing`.
std::vector<config::Node> trees_of_tests(const config::Node& tree);

/// The settings that distinguish each of these tests, by path; one test without settings if there
/// are no lists.
std::vector<std::vector<std::pair<std::string, std::string>>>
settings_of_tests(const config::Node& tree);

/// Adds a sentence if `trees_of_tests` would throw.
void check_tests(const config::Node& tree, Sentences& errors);

} // namespace troupe
