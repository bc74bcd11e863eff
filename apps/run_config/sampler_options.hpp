// The rows of the problem's sections that a run uses:
//
//   training: {sampler: {name: subset_random, indices: split_a.txt}}
//   validation: {sampler: {name: subset_sequential, indices: split_b.txt, section: train}}
#pragma once

#include "base/config/node.hpp"
#include "base/failure.hpp"
#include "base/fields.hpp"
#include "base/text/enum_names.hpp"
#include "base/types.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

enum class SamplerName : std::uint8_t {
  all,               ///< every row; `training.shuffle` decides on their order
  subset_sequential, ///< the rows of `indices`, always in their order
  subset_random,     ///< the rows of `indices`; training reads them in a new order in each epoch
};
constexpr auto enum_names(SamplerName) {
  return name_list("all", "subset_sequential", "subset_random");
}

struct SamplerOptions {
  SamplerName name = SamplerName::all;   ///< all, subset_sequential or subset_random
  std::vector<std::string> indices = {}; ///< for a subset: numbers, ranges, files; row_list.hpp
  std::string section = ""; ///< of the problem that has the rows; "": the section itself
  TROUPE_FIELDS(name, indices, section);
};

struct ValidationOptions {
  SamplerOptions sampler = {}; ///< which rows are measured
  TROUPE_FIELDS(sampler);
};

/// Options of `troupe test`; the sampler also applies to the test at the end of training.
struct TestingOptions {
  SamplerOptions sampler = {};         ///< which rows are measured
  Index batch_size = 256;              ///< examples per episode
  std::int64_t max_test_episodes = -1; ///< limit of the number of batches; -1: none
  /// Settings of `problem` and `testing`, each with one value per test.
  std::map<std::string, std::vector<std::string>> multi_tests = {};
  TROUPE_FIELDS(sampler, batch_size, max_test_episodes, multi_tests);
};

/// Allows a sampler's indices to be a single text: makes it a list of one.
void list_indices(config::Node& tree);

/// Adds a sentence for each sampler whose keys contradict each other, and for invalid test options.
void check_samplers(const SamplerOptions& training, const ValidationOptions& validation,
                    const TestingOptions& testing, Sentences& errors);

} // namespace troupe
