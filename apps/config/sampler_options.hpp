// Which rows of the problem's sections a run uses:
//
//   training: {sampler: {name: subset_random, indices: split_a.txt}}
//   validation: {sampler: {name: subset_sequential, indices: split_b.txt, section: train}}
#pragma once

#include "base/config/node.hpp"
#include "base/exit_codes.hpp"
#include "base/fields.hpp"
#include "base/types.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

enum class SamplerName : std::uint8_t {
  all,               ///< every row; `training.shuffle` decides about their order
  subset_sequential, ///< the rows of `indices`, always in their order
  subset_random,     ///< the rows of `indices`; training reads them in a new order each epoch
};

std::string to_string(SamplerName name);
bool from_text(std::string_view text, SamplerName& name); ///< false for an unknown word

struct SamplerOptions {
  SamplerName name = SamplerName::all;
  std::vector<std::string> indices = {}; ///< of a subset: numbers, ranges, files; row_list.hpp
  std::string section = ""; ///< of the problem, whose rows they are; "": the section's own
  FIELDS(name, indices, section);
};

struct ValidationOptions {
  SamplerOptions sampler = {};
  FIELDS(sampler);
};

/// What `troupe test` does; the sampler counts for the test at the end of training, too.
struct TestingOptions {
  SamplerOptions sampler = {};
  Index batch_size = 256;              ///< examples of an episode
  std::int64_t max_test_episodes = -1; ///< only the first so many batches; -1: all
  /// Settings of `problem` and `testing`, with a value for each of several tests.
  std::map<std::string, std::vector<std::string>> multi_tests = {};
  FIELDS(sampler, batch_size, max_test_episodes, multi_tests);
};

/// Lets each sampler's indices be a single text, too: makes it a list of one.
void list_indices(config::Node& tree);

/// Adds a sentence for each sampler whose keys contradict each other, and for what no test can do.
void check_samplers(const SamplerOptions& training, const ValidationOptions& validation,
                    const TestingOptions& testing, Sentences& errors);

} // namespace troupe
