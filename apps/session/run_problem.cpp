#include "apps/session/run_problem.hpp"

#include "apps/catalog/components.hpp"
#include "apps/config/tree.hpp"
#include "apps/folder/problem_file.hpp"
#include "apps/folder/run_folder.hpp"
#include "apps/run_config/warm_start.hpp"
#include "model/data/arrays/array_problem.hpp"
#include "model/data/fitted_problem.hpp"
#include "model/data/row_list.hpp"
#include "model/data/sampled_problem.hpp"
#include "model/data/table/csv_fit.hpp"
#include "model/kernels/tile_product.hpp"
#include "model/zoo/network.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

namespace troupe {

namespace {

constexpr std::array sampled_sections{Section::train, Section::validation, Section::test};

/// The configuration path of a section's sampler.
std::string sampler_path(Section section) {
  switch (section) {
  case Section::train: return "training.sampler";
  case Section::validation: return "validation.sampler";
  case Section::test: return "testing.sampler";
  }
  return "sampler";
}

const SamplerOptions& sampler_of(const RunConfig& config, Section section) {
  switch (section) {
  case Section::train: break;
  case Section::validation: return config.validation.sampler;
  case Section::test: return config.testing.sampler;
  }
  return config.training.sampler;
}

Index size_in(const SectionSizes& sizes, Section section) {
  return sizes[static_cast<std::size_t>(section)];
}

std::optional<SectionSample> sample_of(const SectionSizes& sizes, const SamplerOptions& sampler,
                                       Section section) {
  SectionSample sample;
  sample.from = sampler.section.empty() ? section : section_from(sampler.section);
  if (sampler.name == SamplerName::all) {
    if (sample.from == section)
      return {};
    sample.rows.resize(static_cast<std::size_t>(size_in(sizes, sample.from)));
    std::iota(sample.rows.begin(), sample.rows.end(), Index{0});
    return sample;
  }
  const auto path = sampler_path(section) + ".indices";
  try {
    sample.rows = parse_rows(sampler.indices, size_in(sizes, sample.from));
  } catch (const std::invalid_argument& e) {
    throw ConfigError(path + ", of section '" + to_string(sample.from) + "': " + e.what());
  }
  if (sample.rows.empty())
    throw ConfigError(path + " name no row; give numbers, a range like 0..100 or a file of them");
  return sample;
}

const std::optional<SectionSample>& sample_in(const SectionSamples& samples, Section section) {
  return samples[static_cast<std::size_t>(section)];
}

/// The section of the problem that a section's rows come from.
Section source_of(const SectionSamples& samples, Section section) {
  const auto& sample = sample_in(samples, section);
  return sample ? sample->from : section;
}

/// For each row of its source, whether it belongs to the section.
std::vector<bool> rows_of_section(const Problem& problem, const SectionSamples& samples,
                                  Section section) {
  const auto& sample = sample_in(samples, section);
  std::vector<bool> rows(static_cast<std::size_t>(problem.size(source_of(samples, section))),
                         !sample);
  if (sample)
    for (const auto row : sample->rows)
      rows[static_cast<std::size_t>(row)] = true;
  return rows;
}

/// A model looks better than it is when it is measured on rows it was trained on.
/// @throws ConfigError if a section has training rows.
void check_apart(const Problem& problem, const SectionSamples& samples) {
  const auto source = source_of(samples, Section::train);
  for (const auto section : {Section::validation, Section::test}) {
    if (source_of(samples, section) != source)
      continue;
    const auto trained = rows_of_section(problem, samples, Section::train);
    const auto measured = rows_of_section(problem, samples, section);
    for (std::size_t row = 0; row < trained.size(); ++row)
      if (trained[row] && measured[row])
        throw ConfigError("training.sampler and " + sampler_path(section) + " both have row "
                          + std::to_string(row) + " of section '" + to_string(source)
                          + "'; give them other rows, like the two files that `troupe split` "
                            "writes");
  }
}

std::shared_ptr<const Problem> with_samples(std::shared_ptr<const Problem> problem,
                                            SectionSamples samples) {
  if (std::none_of(samples.begin(), samples.end(), [](const auto& s) { return s.has_value(); }))
    return problem;
  try {
    return std::make_shared<SampledProblem>(std::move(problem), std::move(samples));
  } catch (const std::invalid_argument& e) {
    throw ConfigError(std::string{"a sampler is invalid: "} + e.what());
  }
}

} // namespace

std::shared_ptr<const Problem> problem_of(const RunConfig& config) {
  return problem_of(config, fit_to_begin_with(config.tree));
}

std::shared_ptr<const Problem> problem_of(const RunConfig& config, const std::string& fit) {
  return sampled(
    make_problem(*config.tree.find("problem"), fit, chosen_training_rows(config.training.sampler)),
    config);
}

ChooseTrainingRows chosen_training_rows(const SamplerOptions& sampler) {
  return [sampler](const SectionSizes& sizes) { return sample_of(sizes, sampler, Section::train); };
}

std::shared_ptr<const Problem> sampled(std::shared_ptr<const Problem> problem,
                                       const RunConfig& config) {
  SectionSamples samples;
  for (const auto section : sampled_sections)
    samples[static_cast<std::size_t>(section)]
      = sample_of(section_sizes(*problem), sampler_of(config, section), section);
  check_apart(*problem, samples);
  return with_samples(std::move(problem), std::move(samples));
}

std::shared_ptr<const Problem> sampled(std::shared_ptr<const Problem> problem,
                                       const RunConfig& config, Section section) {
  SectionSamples samples;
  samples[static_cast<std::size_t>(section)]
    = sample_of(section_sizes(*problem), sampler_of(config, section), section);
  return with_samples(std::move(problem), std::move(samples));
}

std::string reading_lines(const Problem& problem) {
  std::string lines;
  for (const auto& line : problem.reading_notes())
    lines += "  " + line + "\n";
  return lines;
}

namespace {

void multiply_on_tiles(Model& model) {
  auto* network = dynamic_cast<Network*>(&model);
  if (network == nullptr)
    throw ConfigError("training.products is tiles, but model '" + model.name()
                      + "' makes its products itself; give library");
  network->use_products(Products::tiles);
}

} // namespace

void check_products(const TrainingOptions& training) {
  if (training.products == Products::tiles && !tiles_available())
    throw ConfigError("training.products is tiles, but this processor has no matrix tiles for "
                      "bfloat16 (AMX), or the program was not compiled for them; give library");
}

std::unique_ptr<Model> model_of(const RunConfig& config, const Problem& problem) {
  make_optimizer_factory(*config.tree.find("optimizer"));
  check_products(config.training);
  auto model = make_model(*config.tree.find("model"), problem.spec());
  if (config.training.products == Products::tiles)
    multiply_on_tiles(*model);
  return model;
}

std::string fit_to_begin_with(const config::Node& tree) {
  const auto path = model_to_load(tree);
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path_of_run(path), error))
    return ""; // check_loads reports it
  return fit_in(folder_of_run(path), *tree.find("problem"));
}

DataSpec data_spec_of(const config::Node& problem, const std::string& fit) {
  const auto name = config::text_at(problem, {"name"});
  if (!fit.empty() && name == "csv")
    return data_spec(csv_fit_from(fit));
  if (!fit.empty() && name == "arrays")
    return array_fields(fit);
  return make_problem(problem, fit)->spec();
}

} // namespace troupe
