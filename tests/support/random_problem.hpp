// Random examples of any kind, for tests of how a model computes, not of what it learns.
#pragma once

#include "model/data/problem.hpp"
#include "model/data/split.hpp"

namespace troupe::test {

/// Images of 28 x 28 with a class each.
inline DataSpec random_images() {
  return {{{"images", ElementType::float32, {any_size, 28, 28}, 0}},
          {{"label", ElementType::class_index, {any_size}, 10}}};
}

/// Sequences of tokens with a class at each place, some of which are masked.
inline DataSpec random_characters() {
  return {{{"text", ElementType::float32, {any_size, 12}, 7}},
          {{"next", ElementType::class_index, {any_size, 12}, 7, true}}};
}

/// Row i is drawn from stream i of the seed.
class RandomProblem : public Problem {
public:
  explicit RandomProblem(DataSpec spec, Index examples = 70)
    : spec_(std::move(spec)),
      examples_(examples) {}

  std::string name() const override { return "random"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section) const override { return examples_; }

  void gather(Section, std::span<const Index> rows, Batch& batch) const override {
    resize(batch, spec_, static_cast<Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Random random{RandomKey{7}, static_cast<std::uint64_t>(rows[i])};
      fill(spec_.inputs, i, random, batch.inputs);
      fill(spec_.targets, i, random, batch.targets);
    }
  }

private:
  static void fill(const std::vector<FieldSpec>& specs, std::size_t row, Random& random,
                   std::vector<BasicBatchField<float>>& fields) {
    for (std::size_t f = 0; f < specs.size(); ++f) {
      const auto width = static_cast<std::size_t>(specs[f].width());
      const auto classes = static_cast<std::uint64_t>(specs[f].classes);
      for (auto j = row * width; j < (row + 1) * width; ++j)
        if (specs[f].type == ElementType::class_index)
          fields[f].classes[j] = specs[f].masked && random.below(3) == 0
                                   ? masked_class
                                   : static_cast<std::int32_t>(random.below(classes));
        else
          fields[f].values[j] = classes > 0 ? static_cast<float>(random.below(classes))
                                            : static_cast<float>(random.uniform());
    }
  }

  DataSpec spec_;
  Index examples_;
};

} // namespace troupe::test
