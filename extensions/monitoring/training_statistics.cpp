#include "extensions/monitoring/training_statistics.hpp"

#include "extensions/support/saved_state.hpp"
#include "messages/evaluation/undefined_metrics.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

constexpr auto number_format = "{:12.10f}", episode_format = "{:06d}", epoch_format = "{:02d}",
               count_format = "{:d}";

double number_or_nan(const Records& row, const std::string& name) {
  const auto found = row.find(name);
  const auto number = found == row.end() ? std::optional<double>{} : as_number(found->second);
  return number.value_or(std::numeric_limits<double>::quiet_NaN());
}

/// Episodes are counted from 0; -1: none yet.
double last_episode(Step batches) { return static_cast<double>(batches) - 1; }

/// Sorts a metric before its spread over batches: "acc", "acc_min", "acc_max", "acc_std".
std::pair<std::string, std::size_t> place_of_column(const std::string& name) {
  constexpr std::array<std::string_view, 3> spreads{"_min", "_max", "_std"};
  for (std::size_t i = 0; i < spreads.size(); ++i)
    if (name.ends_with(spreads[i]))
      return {name.substr(0, name.size() - spreads[i].size()), i + 1};
  return {name, 0};
}

} // namespace

const std::vector<std::string>& batch_statistics_columns() {
  static const std::vector<std::string> columns{"loss", "episode", "epoch", "batch_size"};
  return columns;
}
const std::vector<std::string>& epoch_statistics_columns() {
  static const std::vector<std::string> columns{
    "episode", "episodes_aggregated", "loss", "loss_min", "loss_max", "loss_std",
    "epoch",   "samples_aggregated"};
  return columns;
}
const std::vector<std::string>& partial_validation_columns() {
  static const std::vector<std::string> columns{"loss", "episode", "epoch"};
  return columns;
}
const std::vector<std::string>& full_validation_columns() {
  static const std::vector<std::string> columns{
    "episode", "episodes_aggregated", "loss", "loss_min", "loss_max", "loss_std", "epoch"};
  return columns;
}

TrainingStatistics::TrainingStatistics(StatisticsOptions options, std::vector<Statistic> own)
  : options_(options),
    own_(std::move(own)) {
  collector_.add("loss", number_format);
  collector_.add("episode", episode_format);
  collector_.add("epoch", epoch_format);
  collector_.add("batch_size", count_format);
  aggregator_.add("episode", episode_format);
  aggregator_.add("episodes_aggregated", count_format);
  aggregator_.add_spread("loss", number_format);
  aggregator_.add("epoch", epoch_format);
  aggregator_.add("samples_aggregated", count_format);
  for (const auto& statistic : own_) {
    collector_.add(statistic.name, statistic.format);
    aggregator_.add_spread(statistic.name, statistic.format);
  }
}

std::vector<std::string> TrainingStatistics::names() const {
  auto names = batch_statistics_columns();
  for (const auto& statistic : own_)
    names.push_back(statistic.name);
  return names;
}

void TrainingStatistics::begin(const LoopEvent& event) {
  if (!begun_ || event.totals.batches < last_.batches) { // a first start, or from an older state
    last_ = event.totals;
    collector_.empty();
  }
  begun_ = true;
}

StatisticsRow TrainingStatistics::add_batch(const LoopEvent& event, const Records& row) {
  const auto before = std::exchange(last_, event.totals);
  const auto skipped = event.totals.skipped_batches > before.skipped_batches;
  const auto batches = event.totals.batches - before.batches; // more than 1 if it was attached late
  const auto examples = event.totals.examples - before.examples;
  StatisticsRow cells = collector_.last();
  const auto set = [&cells](const std::string& name, double value) {
    for (auto& cell : cells)
      if (cell.name == name)
        cell.value = value;
  };
  const auto has_loss = skipped || batches > 0; // false if all its targets are masked
  set("loss", has_loss ? event.loss : std::numeric_limits<double>::quiet_NaN());
  set("episode", last_episode(event.position.batches));
  set("epoch", static_cast<double>(event.position.epochs));
  set("batch_size",
      batches > 0 ? static_cast<double>(examples) / static_cast<double>(batches) : 0.0);
  for (const auto& statistic : own_)
    set(statistic.name, number_or_nan(row, statistic.name));
  if (!skipped && has_loss)
    for (const auto& cell : cells)
      collector_.collect(cell.name, cell.value);
  return cells;
}

StatisticsRow TrainingStatistics::close_epoch(const LoopEvent& event) {
  const auto& sizes = collector_.values("batch_size");
  const auto weights
    = options_.weighted ? std::span<const double>{sizes} : std::span<const double>{};
  auto aggregator = aggregator_;
  aggregator.copy_last(collector_);
  aggregator.set("episode", last_episode(event.position.batches));
  aggregator.set("epoch", static_cast<double>(event.position.epochs));
  aggregator.set("episodes_aggregated", static_cast<double>(sizes.size()));
  aggregator.set_spread("loss", spread_of(collector_.values("loss"), weights));
  auto samples = 0.0;
  for (const auto size : sizes)
    samples += size;
  aggregator.set("samples_aggregated", samples);
  for (const auto& statistic : own_)
    aggregator.set_spread(statistic.name, spread_of(collector_.values(statistic.name), weights));
  collector_.empty();
  return aggregator.row();
}

SavedFields TrainingStatistics::state() const {
  SavedFields state;
  put(state, "begun", begun_);
  put(state, "last", last_);
  for (const auto& name : names()) {
    std::string text;
    for (const auto x : collector_.values(name))
      (text += text.empty() ? "" : " ") += shortest(x);
    put(state, "list." + name, text);
  }
  return state;
}

void TrainingStatistics::restore(const SavedFields& state) {
  take(state, "begun", begun_);
  take(state, "last", last_);
  collector_.empty();
  for (const auto& name : names()) {
    std::string text;
    take(state, "list." + name, text);
    std::istringstream numbers{text};
    for (std::string number; numbers >> number;) // operator>> to a double does not read "nan"
      collector_.collect(name, std::strtod(number.c_str(), nullptr));
  }
}

ValidationRows validation_rows(const Row& row) {
  const StatisticsRow place{{"episode", last_episode(row.row.batch), NumberFormat{episode_format}},
                            {"epoch", static_cast<double>(row.epoch), NumberFormat{epoch_format}}};
  ValidationRows rows{place, place};
  for (const auto& [name, value] : row.records) {
    const auto number = as_number(value);
    if (!number || !is_measurement(name))
      continue;
    const auto add
      = [&, &name = name, &value = value](std::string_view prefix, StatisticsRow& cells) {
          if (name.starts_with(prefix) && name.size() > prefix.size())
            cells.push_back(
              {statistics_column(name.substr(prefix.size())), *number,
               NumberFormat{std::holds_alternative<double>(value) ? number_format : count_format},
               !is_undefined(row.records, name)});
        };
    add("partial_valid_", rows.partial);
    add("validation_", rows.full);
    add("valid_", rows.full);
  }
  for (auto* cells : {&rows.partial, &rows.full}) {
    std::sort(cells->begin() + static_cast<std::ptrdiff_t>(place.size()), cells->end(),
              [](const auto& a, const auto& b) {
                return place_of_column(a.name) < place_of_column(b.name);
              });
    if (cells->size() == place.size())
      cells->clear();
  }
  return rows;
}

} // namespace troupe
