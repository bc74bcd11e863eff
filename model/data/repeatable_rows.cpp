#include "model/data/repeatable_rows.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace troupe {

namespace {

constexpr Index rows_reread = 8;

/// Compares bits, not numbers, so that NaN equals itself.
template <class Element>
bool mirrored(const Buffer<Element>& a, const Buffer<Element>& b, std::size_t rows) {
  if (a.size() != b.size())
    return false;
  const auto width = a.size() / rows;
  for (std::size_t row = 0; row < rows && width > 0; ++row)
    if (std::memcmp(a.data() + row * width, b.data() + (rows - 1 - row) * width,
                    width * sizeof(Element))
        != 0)
      return false;
  return true;
}

template <class Field>
bool mirrored(const std::vector<Field>& a, const std::vector<Field>& b, std::size_t rows) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [rows](const auto& x, const auto& y) {
    return mirrored(x.values, y.values, rows) && mirrored(x.classes, y.classes, rows);
  });
}

/// Some rows from the first to the last, spread evenly.
std::vector<Index> some_rows(Index size) {
  const auto count = std::min(size, rows_reread);
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i)
    rows.push_back(count == 1 ? 0 : i * (size - 1) / (count - 1));
  return rows;
}

} // namespace

bool has_repeatable_rows(const Problem& problem) {
  auto rows = some_rows(problem.size(Section::train));
  if (rows.empty())
    return true;
  Batch forwards, backwards;
  try {
    problem.gather(Section::train, rows, forwards);
    std::reverse(rows.begin(), rows.end());
    problem.gather(Section::train, rows, backwards);
  } catch (const std::exception&) {
    return true;
  }
  return forwards.size == backwards.size && mirrored(forwards.inputs, backwards.inputs, rows.size())
         && mirrored(forwards.targets, backwards.targets, rows.size());
}

} // namespace troupe
