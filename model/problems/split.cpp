#include "troupe/model/problems/split.hpp"

#include "troupe/model/random.hpp"

#include <cmath>
#include <stdexcept>

namespace troupe {

const std::vector<Index>& Split::of(Section section) const {
  return section == Section::train ? train : section == Section::validation ? validation : test;
}

Split split_rows(Index rows, double validation, double test, std::int64_t seed) {
  const auto check = [](const char* name, double fraction) {
    if (!(fraction >= 0 && fraction < 1))
      throw std::invalid_argument(std::string(name) + " is " + std::to_string(fraction)
                                  + "; give a fraction from 0 to less than 1");
  };
  check("validation_fraction", validation);
  check("test_fraction", test);
  const auto for_validation = static_cast<Index>(std::llround(validation * double(rows)));
  const auto for_test = static_cast<Index>(std::llround(test * double(rows)));
  if (for_validation + for_test >= rows)
    throw std::invalid_argument("validation_fraction " + std::to_string(validation)
                                + " and test_fraction " + std::to_string(test) + " leave none of "
                                + std::to_string(rows)
                                + " rows to train on; make them smaller or give more data");
  const Permutation shuffled(rows, RandomKey{static_cast<std::uint64_t>(seed)}.derive("split"));
  Split split;
  for (Index i = 0; i < rows; ++i) {
    auto& section = i < for_test                    ? split.test
                    : i < for_test + for_validation ? split.validation
                                                    : split.train;
    section.push_back(shuffled(i));
  }
  return split;
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
