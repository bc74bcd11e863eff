#include "model/metrics/r_squared.hpp"

#include <algorithm>

namespace troupe {

template <class Scalar>
void RSquared::add(std::span<const Scalar> predicted, std::span<const Scalar> actual, Index width) {
  const auto n = static_cast<std::size_t>(width);
  columns_.resize(std::max(columns_.size(), n));
  for (std::size_t i = 0; i < actual.size(); i += n) {
    for (std::size_t j = 0; j < n; ++j) {
      const double y = actual[i + j], error = predicted[i + j] - y;
      auto& column = columns_[j];
      column.squared_error += error * error;
      column.sum += y;
      column.squares += y * y;
    }
    ++rows_;
  }
}

void RSquared::merge(const RSquared& other) {
  columns_.resize(std::max(columns_.size(), other.columns_.size()));
  for (std::size_t j = 0; j < other.columns_.size(); ++j) {
    columns_[j].squared_error += other.columns_[j].squared_error;
    columns_[j].sum += other.columns_[j].sum;
    columns_[j].squares += other.columns_[j].squares;
  }
  rows_ += other.rows_;
}

std::optional<double> RSquared::mean() const {
  // The variance of targets that are all equal is 0 except for rounding.
  constexpr double rounding = 1e-13;
  const auto rows = static_cast<double>(rows_);
  double sum = 0, varying = 0;
  for (const auto& column : columns_) {
    const auto variation = rows_ == 0 ? 0.0 : column.squares - column.sum * column.sum / rows;
    if (variation <= rounding * column.squares)
      continue;
    sum += 1 - column.squared_error / variation;
    ++varying;
  }
  if (varying == 0)
    return std::nullopt;
  return sum / varying;
}

template void RSquared::add(std::span<const float>, std::span<const float>, Index);
template void RSquared::add(std::span<const double>, std::span<const double>, Index);

} // namespace troupe
