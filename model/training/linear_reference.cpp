#include "model/training/linear_reference.hpp"

#include "model/metrics/r_squared.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace troupe {

namespace {

/// The normal equations X'X W = X'Y, where each row of X ends with a 1.
struct NormalEquations {
  std::size_t inputs = 0, outputs = 0; // inputs including the 1
  std::vector<double> left, right;     // [inputs, inputs], [inputs, outputs]
};

template <class See>
void see_rows(const Problem& problem, Section section, See see) {
  constexpr Index at_once = 256;
  Batch batch;
  std::vector<Index> rows;
  const auto size = problem.size(section);
  for (Index begin = 0; begin < size; begin += at_once) {
    rows.resize(static_cast<std::size_t>(std::min(at_once, size - begin)));
    std::iota(rows.begin(), rows.end(), begin);
    problem.gather(section, rows, batch);
    see(batch);
  }
}

/// The outputs to fit for a row: its numbers, or 1 for its class.
void wanted_outputs(const Batch& batch, std::size_t row, std::vector<double>& y) {
  const auto& target = batch.targets[0];
  std::fill(y.begin(), y.end(), 0.0);
  if (target.classes.empty())
    std::copy_n(target.values.begin() + static_cast<std::ptrdiff_t>(row * y.size()), y.size(),
                y.begin());
  else if (const auto label = target.classes[row]; label != masked_class)
    y[static_cast<std::size_t>(label)] = 1;
}

bool counts_in(const Batch& batch, std::size_t row) {
  const auto& classes = batch.targets[0].classes;
  return classes.empty() || classes[row] != masked_class;
}

void inputs_of(const Batch& batch, std::size_t row, std::vector<double>& x) {
  const auto width = x.size() - 1;
  std::copy_n(batch.inputs[0].values.begin() + static_cast<std::ptrdiff_t>(row * width), width,
              x.begin());
  x.back() = 1;
}

NormalEquations equations_of(const Problem& problem) {
  const auto& target = problem.spec().targets[0];
  NormalEquations sums;
  sums.inputs = static_cast<std::size_t>(problem.spec().inputs[0].width()) + 1;
  sums.outputs = static_cast<std::size_t>(target.classes > 0 ? target.classes : target.width());
  sums.left.resize(sums.inputs * sums.inputs);
  sums.right.resize(sums.inputs * sums.outputs);
  std::vector<double> x(sums.inputs), y(sums.outputs);
  see_rows(problem, Section::train, [&](const Batch& batch) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch.size); ++row) {
      if (!counts_in(batch, row))
        continue;
      inputs_of(batch, row, x);
      wanted_outputs(batch, row, y);
      for (std::size_t i = 0; i < sums.inputs; ++i) {
        for (std::size_t j = 0; j <= i; ++j)
          sums.left[i * sums.inputs + j] += x[i] * x[j];
        for (std::size_t j = 0; j < sums.outputs; ++j)
          sums.right[i * sums.outputs + j] += x[i] * y[j];
      }
    }
  });
  return sums;
}

/// Solves them by L L' W = X'Y. One-hot levels that add up to 1 make X'X singular, so its diagonal
/// is increased a little. @returns W, in place of the right side
std::vector<double> solution(NormalEquations sums) {
  constexpr double ridge = 1e-8;
  const auto n = sums.inputs, m = sums.outputs;
  auto& l = sums.left;
  auto& w = sums.right;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      auto sum = l[i * n + j] + (i == j ? ridge * l[i * n + i] : 0.0);
      for (std::size_t k = 0; k < j; ++k)
        sum -= l[i * n + k] * l[j * n + k];
      l[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / l[j * n + j];
    }
  for (std::size_t c = 0; c < m; ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k)
        w[i * m + c] -= l[i * n + k] * w[k * m + c];
      w[i * m + c] /= l[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k)
        w[i * m + c] -= l[k * n + i] * w[k * m + c];
      w[i * m + c] /= l[i * n + i];
    }
  }
  return std::move(w);
}

} // namespace

bool is_table(const DataSpec& data) {
  if (data.inputs.size() != 1 || data.targets.size() != 1 || data.streams > 0)
    return false;
  const auto &input = data.inputs[0], &target = data.targets[0];
  return input.shape.size() == 2 && input.classes == 0 && !input.masked
         && (target.classes > 0 ? target.shape.size() == 1 : target.shape.size() == 2);
}

std::optional<LinearReference> linear_reference(const Problem& problem, Section section) {
  constexpr double most_products = 1e9;
  const auto& data = problem.spec();
  if (!is_table(data) || problem.endless() || problem.size(section) == 0)
    return {};
  const auto width = static_cast<double>(data.inputs[0].width()) + 1;
  const auto outputs = static_cast<double>(data.targets[0].classes > 0 ? data.targets[0].classes
                                                                       : data.targets[0].width());
  if ((static_cast<double>(problem.size(Section::train)) + width) * width * (width + outputs)
      > most_products)
    return {};
  const auto sums = equations_of(problem);
  const auto w = solution(sums);
  std::vector<double> x(sums.inputs), y(sums.outputs), p(sums.outputs);
  RSquared explained;
  double right = 0, counted = 0;
  see_rows(problem, section, [&](const Batch& batch) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch.size); ++row) {
      if (!counts_in(batch, row))
        continue;
      inputs_of(batch, row, x);
      wanted_outputs(batch, row, y);
      std::fill(p.begin(), p.end(), 0.0);
      for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < p.size(); ++j)
          p[j] += x[i] * w[i * p.size() + j];
      right += y[static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin())];
      ++counted;
      if (data.targets[0].classes == 0)
        explained.add<double>(p, y, static_cast<Index>(p.size()));
    }
  });
  if (data.targets[0].classes > 0)
    return counted == 0 ? std::nullopt
                        : std::optional{LinearReference{"accuracy", right / counted}};
  const auto r2 = explained.mean();
  return r2 ? std::optional{LinearReference{"r2", *r2}} : std::nullopt;
}

} // namespace troupe
