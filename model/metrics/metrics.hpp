#pragma once

#include "model/metrics/class_counts.hpp"
#include "model/metrics/r_squared.hpp"
#include "model/metrics/ranked_scores.hpp"

#include <string>
#include <vector>

namespace troupe {

/// Running sums of an evaluation. Batches add to it, parts evaluated elsewhere merge into it, and
/// `values` divides at the end: a smaller last batch gets the weight of its size.
class Metrics {
public:
  /// Adds to the mean called `name`: `sum` over `count` examples.
  void add_mean(const std::string& name, double sum, double count);

  /// Adds to the exponential of a mean, exp(sum / count), called `name`: perplexity.
  void add_exponential(const std::string& name, double sum, double count);

  /// The class counts for some of "precision", "recall", "f1" and "confusion", to add to. A
  /// confusion gives a value for each pair of classes, "confusion_<actual>_<predicted>".
  /// @param names the same ones each time
  ClassCounts& class_counts(const std::vector<std::string>& names, Index classes);

  /// The scores for "auc", to add to.
  RankedScores& scores();

  /// The sums for "r2", to add to.
  RSquared& r_squared();

  /// Adds the sums of another evaluation of the same metrics.
  void merge(const Metrics& other);

  /// The value of each metric, in the order in which they were first added. An undefined one (0/0)
  /// is 0 and listed in `undefined`.
  std::vector<std::pair<std::string, double>> values() const;
  /// The names of the metrics whose denominator is 0.
  std::vector<std::string> undefined() const;

private:
  enum class Kind { mean, exponential, r2, precision, recall, f1, confusion, area };
  struct Sums {
    std::string name;
    Kind kind = Kind::mean;
    double numerator = 0, count = 0; // for mean and exponential
  };
  /// numerator / denominator; undefined where `defined` is false.
  struct Quotient {
    double value = 0;
    bool defined = false;
  };
  Sums& entry(const std::string& name, Kind kind);
  Quotient quotient(const Sums& sums) const;

  std::vector<Sums> entries_;
  ClassCounts class_counts_; // for precision, recall, f1 and confusion
  RankedScores scores_;      // for area
  RSquared r_squared_;       // for r2
};

} // namespace troupe
