#include "apps/run_config/sampler_options.hpp"

#include "apps/config/tree.hpp"
#include "model/data/problem.hpp"

#include <array>

namespace troupe {

namespace {

void check_sampler(const SamplerOptions& sampler, const std::string& path, Sentences& errors) {
  if (sampler.name == SamplerName::all && !sampler.indices.empty())
    errors.push_back(path + ".indices are given, but " + path
                     + ".name is all; give it the name subset_random or subset_sequential, or "
                       "leave out the indices");
  if (sampler.name != SamplerName::all && sampler.indices.empty())
    errors.push_back(path + ".name is " + to_string(sampler.name) + ", but " + path
                     + ".indices are empty; give numbers, a range like 0..100 or a file");
  const auto& section = sampler.section;
  if (!section.empty() && section != "train" && section != "validation" && section != "test")
    errors.push_back(path + ".section is '" + section
                     + "'; give train, validation or test, or '' for its own");
}

} // namespace

void list_indices(config::Node& tree) {
  for (const auto* section : {"training", "validation", "testing"})
    if (auto* indices = config::get(tree, {section, "sampler", "indices"});
        indices != nullptr && indices->is_scalar()) {
      auto list = config::Node::list(indices->source());
      if (!indices->text().empty())
        list.append(*indices);
      *indices = std::move(list);
    }
}

void check_samplers(const SamplerOptions& training, const ValidationOptions& validation,
                    const TestingOptions& testing, Sentences& errors) {
  check_sampler(training, "training.sampler", errors);
  check_sampler(validation.sampler, "validation.sampler", errors);
  check_sampler(testing.sampler, "testing.sampler", errors);
  if (testing.batch_size < 1)
    errors.push_back("testing.batch_size is " + std::to_string(testing.batch_size)
                     + "; give at least 1, like 256");
  if (testing.max_test_episodes != -1 && testing.max_test_episodes < 1)
    errors.push_back("testing.max_test_episodes is " + std::to_string(testing.max_test_episodes)
                     + "; give at least 1, or -1 for the whole section");
}

} // namespace troupe
