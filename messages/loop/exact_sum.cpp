#include "messages/loop/exact_sum.hpp"

#include "base/text/number_in.hpp"
#include "base/text/text.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>

namespace troupe {

void ExactSum::add(double x) {
  constexpr auto largest = std::numeric_limits<double>::max() / 4; // below it no step overflows
  if (!(std::abs(x + (parts.empty() ? 0 : parts.back())) <= largest)) {
    ++beyond;
    return;
  }
  std::size_t kept = 0; // in place: a trainer adds after each batch
  for (auto part : parts) {
    if (std::abs(x) < std::abs(part))
      std::swap(x, part);
    const auto sum = x + part;
    if (const auto rounded_away = part - (sum - x); rounded_away != 0)
      parts[kept++] = rounded_away;
    x = sum;
  }
  parts.resize(kept);
  if (x != 0)
    parts.push_back(x);
}

double ExactSum::value() const {
  if (beyond > 0)
    return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(parts.begin(), parts.end(), 0.0); // the smallest first, so that all
                                                           // contribute
}

double ExactSum::since(const ExactSum& before) const {
  auto difference = *this;
  difference.beyond -= before.beyond;
  for (const auto part : before.parts)
    difference.add(-part);
  return difference.value();
}

std::string ExactSum::text() const {
  auto text = std::to_string(beyond);
  for (const auto part : parts)
    text += " " + shortest(part);
  return text;
}

std::optional<ExactSum> ExactSum::from_text(std::string_view text) {
  std::istringstream words{std::string{text}};
  std::string word;
  words >> word;
  const auto beyond = number_in<std::uint64_t>(word);
  if (!beyond)
    return std::nullopt;
  ExactSum sum{{}, *beyond};
  while (words >> word) {
    const auto part = number_in<double>(word);
    if (!part || !std::isfinite(*part))
      return std::nullopt;
    sum.parts.push_back(*part);
  }
  return sum;
}

ExactSum sum_in(const Records& state, const std::string& name, double rounded) {
  ExactSum sum;
  sum.add(rounded);
  const auto found = state.find(name);
  return found == state.end() ? sum : ExactSum::from_text(to_string(found->second)).value_or(sum);
}

} // namespace troupe
