#include "model/metrics/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

void Metrics::add_mean(const std::string& name, double sum, double count) {
  auto& e = entry(name, Kind::mean);
  e.numerator += sum;
  e.count += count;
}

void Metrics::add_exponential(const std::string& name, double sum, double count) {
  auto& e = entry(name, Kind::exponential);
  e.numerator += sum;
  e.count += count;
}

ClassCounts& Metrics::class_counts(const std::vector<std::string>& names, Index classes) {
  auto pairs = false;
  for (const auto& name : names) {
    pairs = pairs || name == "confusion";
    entry(name, name == "precision" ? Kind::precision
                : name == "recall"  ? Kind::recall
                : name == "f1"      ? Kind::f1
                                    : Kind::confusion);
  }
  class_counts_.resize(classes, pairs);
  return class_counts_;
}

RankedScores& Metrics::scores() {
  entry("auc", Kind::area);
  return scores_;
}

RSquared& Metrics::r_squared() {
  entry("r2", Kind::r2);
  return r_squared_;
}

void Metrics::merge(const Metrics& other) {
  const auto theirs = other; // a copy, because other may be this
  for (const auto& e : theirs.entries_) {
    auto& mine = entry(e.name, e.kind);
    mine.numerator += e.numerator;
    mine.count += e.count;
  }
  class_counts_.merge(theirs.class_counts_);
  scores_.merge(theirs.scores_);
  r_squared_.merge(theirs.r_squared_);
}

Metrics::Quotient Metrics::quotient(const Sums& s) const {
  const auto counted = class_counts_.total() > 0;
  switch (s.kind) {
  case Kind::mean: return s.count == 0 ? Quotient{} : Quotient{s.numerator / s.count, true};
  case Kind::exponential:
    return s.count == 0 ? Quotient{} : Quotient{std::exp(s.numerator / s.count), true};
  case Kind::r2: {
    const auto mean = r_squared_.mean();
    return {mean.value_or(0), mean.has_value()};
  }
  case Kind::precision: return {class_counts_.precision(), counted};
  case Kind::recall: return {class_counts_.recall(), counted};
  case Kind::f1: return {class_counts_.f1(), counted};
  case Kind::confusion: return {0, true}; // counts are not quotients
  case Kind::area: {
    const auto area = scores_.area();
    return {area.value_or(0), area.has_value()};
  }
  }
  return {};
}

std::vector<std::pair<std::string, double>> Metrics::values() const {
  std::vector<std::pair<std::string, double>> result;
  for (const auto& e : entries_) {
    if (e.kind != Kind::confusion) {
      result.emplace_back(e.name, quotient(e).value);
      continue;
    }
    for (Index a = 0; a < class_counts_.classes(); ++a)
      for (Index p = 0; p < class_counts_.classes(); ++p)
        result.emplace_back(e.name + "_" + std::to_string(a) + "_" + std::to_string(p),
                            static_cast<double>(class_counts_.pair(a, p)));
  }
  return result;
}

std::vector<std::string> Metrics::undefined() const {
  std::vector<std::string> result;
  for (const auto& e : entries_)
    if (!quotient(e).defined)
      result.push_back(e.name);
  return result;
}

Metrics::Sums& Metrics::entry(const std::string& name, Kind kind) {
  auto found
    = std::find_if(entries_.begin(), entries_.end(), [&](const Sums& e) { return e.name == name; });
  if (found == entries_.end())
    return entries_.emplace_back(Sums{.name = name, .kind = kind});
  if (found->kind != kind)
    throw std::invalid_argument("metric '" + name
                                + "' is of two kinds, such as a mean and an R2; give them two "
                                  "names");
  return *found;
}

} // namespace troupe
