// Statistics of training as MI-Prometheus keeps them: numbers collected batch by batch, and their
// aggregates over an epoch.
#pragma once

#include "base/text/number_format.hpp"

#include <span>
#include <string>
#include <vector>

namespace troupe {

/// One number of a row, with its column's name and format.
struct StatisticsCell {
  std::string name;         ///< of the column
  double value = 0;         ///< the number
  NumberFormat format = {}; ///< how a file shows it
  bool defined = true;      ///< false: 0/0, an empty cell in a file
};
/// One number of each column, in the order in which the columns were added.
using StatisticsRow = std::vector<StatisticsCell>;

/// "loss 0.4123456789; episode 000100 [Epoch 1]"; without brackets if the tag is empty.
std::string statistics_text(const StatisticsRow& row, const std::string& tag = "");

/// False for a record that describes the measuring, not a measured value, although its name begins
/// alike: the version of the parameters, and the records of tracking the best and of patience.
bool is_measurement(const std::string& record);

/// The column of a metric, in all statistics files: MI-Prometheus calls the accuracy "acc".
std::string statistics_column(const std::string& metric);

/// Named lists with formats; each batch appends to them.
class StatisticsCollector {
public:
  /// Adds an empty list. @throws std::invalid_argument if the name is taken or empty, or the format
  /// is invalid (NumberFormat).
  void add(const std::string& name, const std::string& format);
  /// Appends to the list of this name. @throws std::out_of_range if there is none.
  void collect(const std::string& name, double value);
  /// @throws std::out_of_range if there is no such list.
  const std::vector<double>& values(const std::string& name) const;
  /// The newest number of each list, in the order of `add`; NaN for empty lists.
  StatisticsRow last() const;
  /// Empties all lists.
  void empty();

private:
  struct List {
    StatisticsCell column;
    std::vector<double> values;
  };
  std::vector<List> lists_;
};

/// Aggregates of a list.
///
///   mean = sum w x / sum w     deviation = sqrt(sum (x - sum x / n)^2 / (n - 1)), 0 for one value
struct Spread {
  double mean = -1, minimum = -1, maximum = -1, deviation = -1; ///< of no value: -1
  /// Whether there was a value.
  bool of_any() const { return deviation != -1; }
};

/// @param weights of the mean, one for each value, such as sizes of batches; none: all equal
Spread spread_of(std::span<const double> values, std::span<const double> weights = {});

/// Named numbers with formats: aggregates. Each is -1 until it is set.
class StatisticsAggregator {
public:
  /// @throws std::invalid_argument if the name is taken or empty, or the format is invalid.
  void add(const std::string& name, const std::string& format);
  /// Adds `name`, and "<name>_min", "<name>_max", "<name>_std".
  void add_spread(const std::string& name, const std::string& format);
  /// Whether there is an aggregate of this name.
  bool has(const std::string& name) const;

  /// @throws std::out_of_range if there is no such aggregate; so does `value`.
  void set(const std::string& name, double value);
  /// Sets the four aggregates of add_spread(). @throws std::out_of_range if there are none
  void set_spread(const std::string& name, const Spread& spread);
  /// The number that was set last; 0 before. @throws std::out_of_range if there is none
  double value(const std::string& name) const;
  /// Sets each aggregate to the newest number of the list of the same name.
  void copy_last(const StatisticsCollector& collector);

  /// In the order of `add`.
  const StatisticsRow& row() const { return row_; }

private:
  StatisticsRow row_;
};

} // namespace troupe
