// Several tests of one model, each with other settings:
//
//   testing:
//     multi_tests:
//       test: [1000, 4000]          # leaves of problem and testing by their name,
//       problem.max_length: [5, 20] # or by their path; the first values are the first test
#pragma once

#include "base/config/node.hpp"
#include "base/exit_codes.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// The configuration of each test that `testing.multi_tests` asks for, in their order, without that
/// key; the configuration itself where it asks for none.
/// @throws ConfigError for lists of unequal lengths, for names that are no setting of `problem` or
/// `testing` and for those that are several's.
std::vector<config::Node> trees_of_tests(const config::Node& tree);

/// What tells each of these tests from the others, by the paths of its settings; one without any
/// where there are no lists.
std::vector<std::vector<std::pair<std::string, std::string>>>
settings_of_tests(const config::Node& tree);

/// Adds a sentence where `trees_of_tests` would throw one.
void check_tests(const config::Node& tree, Sentences& errors);

} // namespace troupe
