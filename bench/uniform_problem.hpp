// The data and first weights that the reference programs in ../shared/bench build too: u(seed, k)
// is the k-th number of a counter-based generator, so every program has the same bits.
#pragma once

#include "troupe/model/problem.hpp"

#include <cmath>
#include <span>

namespace troupe::bench {

inline float u01(std::uint64_t seed, std::uint64_t k) {
  auto z = seed * 0xD1B54A32D192ED03u + (k + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<float>((z ^ (z >> 31)) >> 40) * 0x1p-24f;
}

/// 784 uniform numbers per example, ten classes.
class UniformProblem : public Problem {
public:
  /// @param shape of 784 numbers
  explicit UniformProblem(Index examples = 60000, Index validation = 1000,
                          Shape shape = {any_size, 784})
    : examples_(examples),
      validation_(validation),
      x_(static_cast<std::size_t>(examples * width)),
      y_(static_cast<std::size_t>(examples)) {
    for (std::size_t i = 0; i < x_.size(); ++i)
      x_[i] = u01(1, i);
    for (std::size_t i = 0; i < y_.size(); ++i)
      y_[i] = static_cast<std::int32_t>(10 * u01(2, i));
    spec_.inputs = {{"x", ElementType::float32, std::move(shape), 0}};
    spec_.targets = {{"y", ElementType::class_index, {any_size}, 10}};
  }

  std::string name() const override { return "uniform"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override {
    return section == Section::train ? examples_ : section == Section::validation ? validation_ : 0;
  }

  void gather(Section, std::span<const Index> rows, Batch& batch) const override {
    batch.size = static_cast<Index>(rows.size());
    batch.inputs.resize(1);
    batch.targets.resize(1);
    auto& x = batch.inputs[0].values;
    auto& y = batch.targets[0].classes;
    x.resize(rows.size() * width);
    y.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto* row = x_.data() + rows[i] * width;
      std::copy(row, row + width, x.data() + i * width);
      y[i] = y_[static_cast<std::size_t>(rows[i])];
    }
  }

private:
  static constexpr Index width = 784;
  Index examples_, validation_;
  Buffer<float> x_;
  std::vector<std::int32_t> y_;
  DataSpec spec_;
};

/// The reference programs' first weights: uniform in +-1/sqrt(inputs), theirs [outputs, inputs],
/// ours [inputs, outputs].
inline void reference_weights(const Layout& layout, std::span<float> parameters) {
  for (std::size_t p = 0; p + 1 < layout.parameters().size(); p += 2) {
    const auto& weight = layout.parameters()[p];
    const auto& bias = layout.parameters()[p + 1];
    const auto inputs = weight.shape[0], outputs = weight.shape[1];
    const auto scale = 1 / std::sqrt(static_cast<float>(inputs));
    for (Index o = 0; o < outputs; ++o) {
      for (Index i = 0; i < inputs; ++i)
        parameters[static_cast<std::size_t>(weight.offset + i * outputs + o)]
          = (2 * u01(10 + p, static_cast<std::uint64_t>(o * inputs + i)) - 1) * scale;
      parameters[static_cast<std::size_t>(bias.offset + o)]
        = (2 * u01(11 + p, static_cast<std::uint64_t>(o)) - 1) * scale;
    }
  }
}

} // namespace troupe::bench
