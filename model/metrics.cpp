#include "troupe/model/metrics.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

/// numerator / denominator, undefined where defined is false.
struct Quotient {
  double value = 0;
  bool defined = false;
};

template <class Sums>
Quotient quotient(const Sums& s) {
  if (!s.r2)
    return s.count == 0 ? Quotient{} : Quotient{s.numerator / s.count, true};
  // Targets that are all equal leave nothing to explain, but rounding leaves a little of their
  // squares.
  constexpr double rounding = 1e-13;
  const auto variation = s.count == 0 ? 0.0 : s.squares - s.sum * s.sum / s.count;
  return variation <= rounding * s.squares ? Quotient{}
                                           : Quotient{1 - s.numerator / variation, true};
}

} // namespace

void Metrics::add_mean(const std::string& name, double sum, double count) {
  auto& e = entry(name, false);
  e.numerator += sum;
  e.count += count;
}

void Metrics::add_r2(const std::string& name, double squared_error, double sum, double squares,
                     double count) {
  auto& e = entry(name, true);
  e.numerator += squared_error;
  e.sum += sum;
  e.squares += squares;
  e.count += count;
}

void Metrics::merge(const Metrics& other) {
  const auto theirs = other.entries_; // a copy, since other may be this
  for (const auto& e : theirs)
    if (e.r2)
      add_r2(e.name, e.numerator, e.sum, e.squares, e.count);
    else
      add_mean(e.name, e.numerator, e.count);
}

std::vector<std::pair<std::string, double>> Metrics::values() const {
  std::vector<std::pair<std::string, double>> result;
  for (const auto& e : entries_)
    result.emplace_back(e.name, quotient(e).value);
  return result;
}

std::vector<std::string> Metrics::undefined() const {
  std::vector<std::string> result;
  for (const auto& e : entries_)
    if (!quotient(e).defined)
      result.push_back(e.name);
  return result;
}

Metrics::Sums& Metrics::entry(const std::string& name, bool r2) {
  auto found
    = std::find_if(entries_.begin(), entries_.end(), [&](const Sums& e) { return e.name == name; });
  if (found == entries_.end())
    return entries_.emplace_back(Sums{.name = name, .r2 = r2});
  if (found->r2 != r2)
    throw std::invalid_argument("metric '" + name + "' is a mean and an R2; give them two names");
  return *found;
}

} // namespace troupe
