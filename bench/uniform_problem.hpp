// The data and initial weights that the reference programs in ../shared/bench also generate:
// u(seed, k) is the k-th number of a counter-based generator, so every program has the same bits.
#pragma once

#include "model/data/problem.hpp"
#include "model/data/row_copies.hpp"

#include <cmath>
#include <functional>
#include <numeric>
#include <span>

namespace troupe::bench {

inline float u01(std::uint64_t seed, std::uint64_t k) {
  auto z = seed * 0xD1B54A32D192ED03u + (k + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<float>((z ^ (z >> 31)) >> 40) * 0x1p-24f;
}

enum class Targets { classes, numbers };

/// Uniform numbers: 784 in [0, 1) and one of ten classes, or sequences in [-1, 1) and a number.
class UniformProblem : public Problem {
public:
  /// @param shape of an example's numbers, without the batch size
  explicit UniformProblem(Index examples = 60000, Index validation = 1000,
                          Shape shape = {any_size, 784}, Targets targets = Targets::classes)
    : examples_(examples),
      validation_(validation),
      width_(static_cast<std::size_t>(
        std::accumulate(shape.begin() + 1, shape.end(), Index{1}, std::multiplies<>{}))),
      x_(static_cast<std::size_t>(examples) * width_) {
    const auto classes = targets == Targets::classes;
    for (std::size_t i = 0; i < x_.size(); ++i)
      x_[i] = classes ? u01(1, i) : 2 * u01(3, i) - 1;
    for (Index i = 0; i < examples; ++i)
      if (const auto k = static_cast<std::uint64_t>(i); classes)
        y_.push_back(static_cast<std::int32_t>(10 * u01(2, k)));
      else
        z_.push_back(u01(4, k));
    spec_.inputs = {{"x", ElementType::float32, std::move(shape), 0}};
    if (classes)
      spec_.targets = {{"y", ElementType::class_index, {any_size}, 10}};
    else
      spec_.targets = {{"y", ElementType::float32, {any_size, 1}, 0}};
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
    x.resize(rows.size() * width_);
    copy_each_row(
      x_.data(), static_cast<Index>(width_), rows.size(), [&](std::size_t i) { return rows[i]; },
      [&](std::size_t i, const float* row) { std::copy_n(row, width_, x.data() + i * width_); });
    auto& target = batch.targets[0];
    if (z_.empty())
      copy_rows(y_, rows, target.classes);
    else
      copy_rows(z_, rows, target.values);
  }

  /// Memory of the examples.
  std::size_t bytes() const { return sizeof(float) * (x_.size() + y_.size() + z_.size()); }

private:
  template <class From, class To>
  static void copy_rows(const From& from, std::span<const Index> rows, To& to) {
    to.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      to[i] = from[static_cast<std::size_t>(rows[i])];
  }

  Index examples_, validation_;
  std::size_t width_; ///< numbers per example
  Buffer<float> x_;
  std::vector<std::int32_t> y_;
  std::vector<float> z_;
  DataSpec spec_;
};

/// The reference programs' initial weights: uniform in +-1/sqrt(inputs), there [outputs, inputs],
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
