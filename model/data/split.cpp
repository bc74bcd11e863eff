#include "model/data/split.hpp"

#include "model/tensor/random.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

struct SectionCounts {
  Index validation = 0, test = 0;
};

SectionCounts counts_of(Index rows, const SplitOptions& options) {
  const auto check = [](const char* name, double fraction) {
    if (!(fraction >= 0 && fraction < 1))
      throw std::invalid_argument(std::string(name) + " is " + std::to_string(fraction)
                                  + "; give a fraction from 0 to less than 1");
  };
  check("validation_fraction", options.validation_fraction);
  check("test_fraction", options.test_fraction);
  const SectionCounts counts{
    static_cast<Index>(std::llround(options.validation_fraction * double(rows))),
    static_cast<Index>(std::llround(options.test_fraction * double(rows)))};
  if (counts.validation + counts.test >= rows)
    throw std::invalid_argument("validation_fraction " + std::to_string(options.validation_fraction)
                                + " and test_fraction " + std::to_string(options.test_fraction)
                                + " leave none of " + std::to_string(rows)
                                + " rows to train on; make them smaller or give more data");
  return counts;
}

} // namespace

const std::vector<Index>& Split::of(Section section) const {
  return section == Section::train ? train : section == Section::validation ? validation : test;
}

std::vector<Index>& Split::of(Section section) {
  return section == Section::train ? train : section == Section::validation ? validation : test;
}

Split split_rows(Index rows, const SplitOptions& options) {
  const auto ordered = options.split == "ordered";
  if (!ordered && options.split != "random")
    throw std::invalid_argument("split is \"" + options.split + "\"; write random or ordered");
  const auto counts = counts_of(rows, options);
  const Permutation shuffled(
    rows, RandomKey{static_cast<std::uint64_t>(options.split_seed)}.derive("split"));
  std::vector<Section> sections(static_cast<std::size_t>(rows), Section::train);
  for (Index i = 0; i < counts.test + counts.validation; ++i) // positions of the permutation
    sections[static_cast<std::size_t>(ordered ? rows - 1 - i : shuffled(i))]
      = i < counts.test ? Section::test : Section::validation;
  Split split;
  split.train.reserve(static_cast<std::size_t>(rows - counts.validation - counts.test));
  split.validation.reserve(static_cast<std::size_t>(counts.validation));
  split.test.reserve(static_cast<std::size_t>(counts.test));
  for (Index row = 0; row < rows; ++row)
    split.of(sections[static_cast<std::size_t>(row)]).push_back(row);
  return split;
}

std::vector<Index> trained_rows(const Split& split, const ChooseTrainingRows& choose) {
  const auto sample = choose ? choose({static_cast<Index>(split.train.size()),
                                       static_cast<Index>(split.validation.size()),
                                       static_cast<Index>(split.test.size())})
                             : std::nullopt;
  if (!sample)
    return split.train;
  std::vector<Index> rows;
  for (const auto row : sample->rows)
    rows.push_back(row_of_file(split.of(sample->from), row));
  return rows;
}

Index row_of_file(const std::vector<Index>& section, Index row) {
  if (row < 0 || row >= static_cast<Index>(section.size()))
    throw std::out_of_range("row " + std::to_string(row) + " of a section of "
                            + std::to_string(section.size()));
  return section[static_cast<std::size_t>(row)];
}

void resize(Batch& batch, const DataSpec& spec, Index examples) {
  const auto fit
    = [examples](std::vector<BasicBatchField<float>>& fields, const std::vector<FieldSpec>& specs) {
        fields.resize(specs.size());
        for (std::size_t i = 0; i < specs.size(); ++i) {
          const auto size = static_cast<std::size_t>(examples * specs[i].width());
          const auto is_class = specs[i].type == ElementType::class_index;
          fields[i].values.resize(is_class ? 0 : size);
          fields[i].classes.resize(is_class ? size : 0);
        }
      };
  batch.size = examples;
  batch.continues = false;
  fit(batch.inputs, spec.inputs);
  fit(batch.targets, spec.targets);
}

} // namespace troupe
