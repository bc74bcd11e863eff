#include "messages/log/statistics.hpp"

#include "base/text/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace troupe {

namespace {

/// A new column. @throws std::invalid_argument if the name is taken or empty.
template <class Columns, class NameOf>
StatisticsCell new_column(const Columns& columns, const std::string& name,
                          const std::string& format, double value, NameOf name_of) {
  const auto taken = std::any_of(columns.begin(), columns.end(),
                                 [&](const auto& column) { return name_of(column) == name; });
  if (name.empty() || taken)
    throw std::invalid_argument("a statistic is called " + in_quotes(name)
                                + (taken ? ", as another one is" : "")
                                + "; give each a name of its own");
  return {name, value, NumberFormat{format}};
}

template <class Columns, class NameOf>
auto& column_called(Columns& columns, const std::string& name, NameOf name_of) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const auto& column) { return name_of(column) == name; });
  if (found == columns.end())
    throw std::out_of_range("there is no statistic called " + in_quotes(name) + "; add it first");
  return *found;
}

const auto name_of_list = [](const auto& list) -> const std::string& { return list.column.name; };
const auto name_of_cell = [](const auto& cell) -> const std::string& { return cell.name; };

} // namespace

bool is_measurement(const std::string& record) {
  return !record.ends_with("_version") && record.find("_best_so_far") == std::string::npos
         && record.find("_patience_") == std::string::npos;
}

std::string statistics_column(const std::string& metric) {
  const std::string accuracy = "accuracy";
  return metric == accuracy || metric.starts_with(accuracy + "_")
           ? "acc" + metric.substr(accuracy.size())
           : metric;
}

std::string statistics_text(const StatisticsRow& row, const std::string& tag) {
  const auto text
    = joined(row, "; ", [](const auto& cell) { return cell.name + " " + cell.format(cell.value); });
  return tag.empty() ? text : text + " [" + tag + "]";
}

void StatisticsCollector::add(const std::string& name, const std::string& format) {
  lists_.push_back({new_column(lists_, name, format, 0, name_of_list), {}});
}

void StatisticsCollector::collect(const std::string& name, double value) {
  column_called(lists_, name, name_of_list).values.push_back(value);
}

const std::vector<double>& StatisticsCollector::values(const std::string& name) const {
  return column_called(lists_, name, name_of_list).values;
}

StatisticsRow StatisticsCollector::last() const {
  StatisticsRow row;
  for (const auto& list : lists_) {
    row.push_back(list.column);
    row.back().value
      = list.values.empty() ? std::numeric_limits<double>::quiet_NaN() : list.values.back();
  }
  return row;
}

void StatisticsCollector::empty() {
  for (auto& list : lists_)
    list.values.clear();
}

Spread spread_of(std::span<const double> values, std::span<const double> weights) {
  if (values.empty())
    return {};
  if (!weights.empty() && weights.size() != values.size())
    throw std::invalid_argument(std::to_string(weights.size()) + " weights for "
                                + std::to_string(values.size())
                                + " values; give one for each, or none");
  const auto count = static_cast<double>(values.size());
  const auto plain = std::accumulate(values.begin(), values.end(), 0.0) / count;
  Spread spread;
  spread.mean = plain;
  const auto weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (weight > 0)
    spread.mean = std::inner_product(values.begin(), values.end(), weights.begin(), 0.0) / weight;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  spread.minimum = *least;
  spread.maximum = *greatest;
  auto squares = 0.0;
  for (const auto x : values)
    squares += (x - plain) * (x - plain);
  spread.deviation = values.size() == 1 ? 0 : std::sqrt(squares / (count - 1));
  return spread;
}

void StatisticsAggregator::add(const std::string& name, const std::string& format) {
  row_.push_back(new_column(row_, name, format, -1, name_of_cell));
}

void StatisticsAggregator::add_spread(const std::string& name, const std::string& format) {
  for (const auto* suffix : {"", "_min", "_max", "_std"})
    add(name + suffix, format);
}

bool StatisticsAggregator::has(const std::string& name) const {
  return std::any_of(row_.begin(), row_.end(), [&](const auto& cell) { return cell.name == name; });
}

void StatisticsAggregator::set(const std::string& name, double value) {
  column_called(row_, name, name_of_cell).value = value;
}

void StatisticsAggregator::set_spread(const std::string& name, const Spread& spread) {
  set(name, spread.mean);
  set(name + "_min", spread.minimum);
  set(name + "_max", spread.maximum);
  set(name + "_std", spread.deviation);
}

double StatisticsAggregator::value(const std::string& name) const {
  return column_called(row_, name, name_of_cell).value;
}

void StatisticsAggregator::copy_last(const StatisticsCollector& collector) {
  for (const auto& cell : collector.last())
    if (has(cell.name))
      set(cell.name, cell.value);
}

} // namespace troupe
