// The metrics of runs in Prometheus' text format.
#pragma once

#include "apps/run_index/run_entry.hpp"

#include <string>

namespace troupe {

/// Collects the metrics of several runs; a metric's samples stand together, as the format demands.
class PrometheusText {
public:
  void add(const RunEntry& run);
  /// Of the dashboard itself.
  void add_pages(std::size_t pages, std::size_t dropped);
  std::string text() const;

private:
  void sample(const std::string& metric, const std::string& labels, double value);
  std::map<std::string, std::string> samples_; ///< lines by metric
};

/// A label's value between quotes: backslashes, quotes and line feeds are escaped.
std::string prometheus_label(const std::string& name, const std::string& value);

} // namespace troupe
