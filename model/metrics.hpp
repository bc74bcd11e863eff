#pragma once

#include "troupe/model/fields.hpp"
#include "troupe/model/types.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe {

/// Running sums of an evaluation. Batches add to it, parts evaluated elsewhere merge into it,
/// `values` divides at the end: so a ragged last batch weighs what it holds.
class Metrics {
public:
  /// Adds to the mean called `name`: `sum` over `count` examples.
  void add_mean(const std::string& name, double sum, double count);

  /// Adds to the coefficient of determination R2 = 1 - sum (y - p)^2 / sum (y - mean y)^2 called
  /// `name`.
  /// @param squared_error sum of (y - p)^2   @param sum, squares sums of y and y^2   @param count
  /// number of y
  void add_r2(const std::string& name, double squared_error, double sum, double squares,
              double count);

  void merge(const Metrics& other);

  /// Each metric's value, in the order of first mention. An undefined one (0/0) is 0 and listed in
  /// `undefined`.
  std::vector<std::pair<std::string, double>> values() const;
  std::vector<std::string> undefined() const;

private:
  struct Sums {
    std::string name;
    bool r2 = false;
    double numerator = 0, count = 0, sum = 0, squares = 0;
  };
  Sums& entry(const std::string& name, bool r2);
  std::vector<Sums> entries_;
};

} // namespace troupe
