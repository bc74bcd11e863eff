#include "apps/plots/curves.hpp"

#include "base/failure.hpp"
#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace troupe {

namespace {

constexpr auto not_a_number = std::numeric_limits<double>::quiet_NaN();

/// One worker of one log.
struct LogWorker {
  const NamedLog* log = nullptr;
  WorkerId worker = 0;
  std::string name;
};

/// Removes the folders that all names begin with.
std::vector<NamedLog> without_common_folders(std::vector<NamedLog> logs) {
  auto common = logs.size() < 2 ? std::string::npos : logs.front().name.rfind('/');
  const auto shared = [&](const NamedLog& one) {
    return one.name.compare(0, common + 1, logs.front().name, 0, common + 1) == 0;
  };
  while (common != std::string::npos && !std::all_of(logs.begin(), logs.end(), shared))
    common = common == 0 ? std::string::npos : logs.front().name.rfind('/', common - 1);
  if (common != std::string::npos)
    for (auto& one : logs)
      one.name.erase(0, common + 1);
  return logs;
}

std::vector<LogWorker> log_workers_of(const std::vector<NamedLog>& logs) {
  std::vector<LogWorker> all;
  for (const auto& log : logs) {
    const auto workers = log.columns->workers();
    for (const auto worker : workers) {
      const auto number = "worker " + std::to_string(worker);
      all.push_back({&log, worker,
                     workers.size() == 1 ? log.name
                     : logs.size() == 1  ? number
                                         : log.name + ", " + number});
    }
  }
  return all;
}

double first_time_of(const std::vector<NamedLog>& logs) {
  auto first = std::numeric_limits<double>::infinity();
  for (const auto& log : logs)
    first = std::fmin(first, log.columns->first_time());
  return first;
}

struct PlacedPoint {
  Step batch;
  double x, y;
};

/// In the order of x; for a row written twice the later value.
std::vector<PlacedPoint> points_in_order(std::vector<PlacedPoint> points) {
  std::stable_sort(points.begin(), points.end(),
                   [](const PlacedPoint& a, const PlacedPoint& b) { return a.batch < b.batch; });
  std::vector<PlacedPoint> last;
  for (const auto& point : points)
    if (!last.empty() && last.back().batch == point.batch)
      last.back() = point;
    else
      last.push_back(point);
  std::stable_sort(last.begin(), last.end(),
                   [](const PlacedPoint& a, const PlacedPoint& b) { return a.x < b.x; });
  return last;
}

/// Adds the points of one record, which are in order in nearly all logs.
void add_points(const LogWorker& worker, const std::string& record, const Abscissa& abscissa,
                Curve& curve) {
  const auto& columns = *worker.log->columns;
  const auto* series = columns.find(worker.worker, record);
  if (series == nullptr)
    return;
  const auto each_point = [&](const auto& visit) {
    auto value = series->values.begin();
    for (const auto row : series->rows) {
      const auto& at = columns.position(worker.worker, row);
      if (const PlacedPoint point{at.batch, abscissa.of(at), *value++}; std::isfinite(point.x))
        visit(point);
    }
  };
  auto ordered = true;
  std::optional<PlacedPoint> last;
  each_point([&](const PlacedPoint& point) {
    ordered = ordered && (!last || (last->batch < point.batch && last->x <= point.x));
    last = point;
  });
  const auto add = [&](const PlacedPoint& point) {
    curve.x.push_back(point.x);
    curve.y.push_back(point.y);
  };
  curve.x.reserve(series->rows.size());
  curve.y.reserve(series->rows.size());
  if (ordered)
    return each_point(add);
  std::vector<PlacedPoint> points;
  each_point([&](const PlacedPoint& point) { points.push_back(point); });
  for (const auto& point : points_in_order(std::move(points)))
    add(point);
}

bool has_points(const std::vector<double>& values, bool logarithmic) {
  return std::any_of(values.begin(), values.end(),
                     [&](double y) { return std::isfinite(y) && (!logarithmic || y > 0); });
}

std::set<std::string> names_in(const std::vector<NamedLog>& logs) {
  std::set<std::string> names;
  for (const auto& log : logs)
    names.merge(log.columns->records());
  return names;
}

std::string listed(const std::set<std::string>& names) {
  return names.empty() ? "none" : joined(names);
}

bool is_loss(std::string_view name) { return name.ends_with("loss"); }
bool is_r2(std::string_view name) { return name.ends_with("r2"); }
bool is_score(std::string_view name) { return name.ends_with("accuracy") || is_r2(name); }

/// The records of each panel.
std::vector<std::vector<std::string>> panels_of(const std::vector<std::string>& records) {
  std::vector<std::vector<std::string>> panels;
  std::optional<std::size_t> losses, scores;
  for (const auto& name : records) {
    auto* place = is_loss(name) ? &losses : is_score(name) ? &scores : nullptr;
    if (place != nullptr && *place) {
      panels[**place].push_back(name);
      continue;
    }
    if (place != nullptr)
      *place = panels.size();
    panels.push_back({name});
  }
  return panels;
}

std::vector<std::string> records_to_draw(const std::set<std::string>& names,
                                         const std::vector<std::string>& requested) {
  std::vector<std::string> records;
  if (requested.empty()) {
    std::copy_if(names.begin(), names.end(), std::back_inserter(records), is_loss);
    std::copy_if(names.begin(), names.end(), std::back_inserter(records), is_score);
    // The test at the end comes after the curves of training.
    std::stable_partition(records.begin(), records.end(),
                          [](const std::string& name) { return !name.starts_with("test"); });
    if (records.empty())
      throw UsageError("no record's name ends in loss, accuracy or r2; give one with --record; "
                       "there are: "
                       + listed(names));
  }
  for (const auto& name : requested) {
    if (!names.count(name))
      throw UsageError(
        "no row has a record '" + name + "' with numbers"
        + suggestion(name, {names.begin(), names.end()}, "there are: " + listed(names)));
    if (std::find(records.begin(), records.end(), name) == records.end())
      records.push_back(name);
  }
  return records;
}

/// "mlp on digits: 2026-11-26T19-11-24Z", "mlp on digits, lenet on digits: 8 logs"
std::string title_of(const std::vector<NamedLog>& logs) {
  std::vector<std::string> about;
  std::string names;
  for (const auto& log : logs) {
    if (!log.about.empty() && std::find(about.begin(), about.end(), log.about) == about.end())
      about.push_back(log.about);
    names += (names.empty() ? "" : ", ") + log.name;
  }
  if (logs.size() > 3)
    names = std::to_string(logs.size()) + " logs";
  return (about.empty() ? "" : joined(about) + ": ") + names;
}

std::string title_of_panel(const std::vector<std::string>& records) {
  if (records.size() == 1)
    return records.front();
  if (is_loss(records.front()))
    return "loss";
  const auto r2 = std::count_if(records.begin(), records.end(), is_r2);
  return r2 == 0                                          ? "accuracy"
         : static_cast<std::size_t>(r2) == records.size() ? "r2"
                                                          : "accuracy and r2";
}

Panel panel_of(const std::vector<std::string>& records, const std::vector<LogWorker>& workers,
               double first_time, const CurveOptions& options) {
  Panel panel;
  panel.title = title_of_panel(records);
  const auto one_worker = workers.size() == 1, one_record = records.size() == 1;
  for (std::size_t s = 0; s < workers.size(); ++s)
    for (std::size_t r = 0; r < records.size(); ++r) {
      Curve curve;
      const auto& worker = workers[s];
      const auto status = worker.log->head->status(worker.worker);
      add_points(worker, records[r], {options.against, status, worker.log->name, first_time},
                 curve);
      if (!has_points(curve.y, options.log))
        continue;
      if (options.smooth > 0)
        curve.raw = std::exchange(curve.y, smoothed(curve.y, options.smooth));
      curve.label = one_worker   ? records[r]
                    : one_record ? worker.name
                                 : worker.name + ": " + records[r];
      const auto style = style_of(s, r, workers.size(), records.size());
      curve.color = style.color;
      curve.line_type = style.line_type;
      const auto outcome = status.find("outcome");
      curve.failed = outcome != status.end() && to_string(outcome->second) == "failed";
      if (curve.failed)
        curve.label += " (failed)";
      panel.curves.push_back(std::move(curve));
    }
  return panel;
}

} // namespace

bool is_drawn(std::string_view record, const CurveOptions& options) {
  const auto& records = options.records;
  return records.empty() ? is_loss(record) || is_score(record)
                         : std::find(records.begin(), records.end(), record) != records.end();
}

Chart chart_of(const std::vector<NamedLog>& named, const CurveOptions& options) {
  const auto logs = without_common_folders(named);
  Chart chart;
  chart.title = title_of(logs);
  chart.x_label = axis_label(options.against);
  chart.log_y = options.log;
  const auto workers = log_workers_of(logs);
  const auto first_time = first_time_of(logs);
  for (const auto& records : panels_of(records_to_draw(names_in(logs), options.records)))
    if (auto panel = panel_of(records, workers, first_time, options); !panel.curves.empty())
      chart.panels.push_back(std::move(panel));
  if (chart.panels.empty())
    throw UsageError(options.log
                       ? "no value is above 0, so a logarithmic axis can show none; omit --log"
                       : "no value is a finite number; give other records with --record");
  return chart;
}

std::vector<double> smoothed(const std::vector<double>& values, double weight) {
  std::vector<double> result;
  double mean = 0, known = 0; // `known`: the share of the mean without its start at 0
  for (auto value : values) {
    if (!std::isfinite(value)) {
      result.push_back(not_a_number);
      continue;
    }
    mean = weight * mean + (1 - weight) * value;
    known = weight * known + (1 - weight);
    result.push_back(mean / known);
  }
  return result;
}

} // namespace troupe
