#include "apps/dashboard/prometheus.hpp"

#include "base/text/text.hpp"

#include <array>
#include <cmath>

namespace troupe {

namespace {

struct MetricFamily {
  const char *name, *type, *help;
};

constexpr std::array<MetricFamily, 7> metrics{
  {{"troupe_batches_total", "counter", "Batches that a worker has trained."},
   {"troupe_epochs_total", "counter", "Epochs that a worker has trained."},
   {"troupe_training_seconds_total", "counter", "Seconds that a worker has trained."},
   {"troupe_record", "gauge", "The last value of a record of the log."},
   {"troupe_run_state", "gauge", "1 for the state that a run has."},
   {"troupe_dashboard_pages", "gauge", "Pages that follow the dashboard's events."},
   {"troupe_dashboard_dropped_pages_total", "counter",
    "Pages that were cut off, as they did not "
    "read."}}};

std::string number_text(double value) {
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value > 0 ? "+Inf" : "-Inf";
  return shortest(value);
}

} // namespace

std::string prometheus_label(const std::string& name, const std::string& value) {
  std::string text = name + "=\"";
  for (const auto c : value) {
    if (c == '\\' || c == '"')
      text += '\\';
    text += c == '\n' ? std::string{"\\n"} : std::string{c};
  }
  return text + "\"";
}

void PrometheusText::sample(const std::string& metric, const std::string& labels, double value) {
  samples_[metric] += metric + labels + " " + number_text(value) + "\n";
}

void PrometheusText::add(const RunEntry& run) {
  const auto of_run = prometheus_label("run", run.folder().string());
  sample("troupe_run_state",
         "{" + of_run + "," + prometheus_label("state", to_string(run.state())) + "}", 1);
  for (const auto& [number, worker] : run.summary().workers()) {
    const auto labels
      = "{" + of_run + "," + prometheus_label("worker", std::to_string(number)) + "}";
    sample("troupe_batches_total", labels, static_cast<double>(worker.batches));
    sample("troupe_epochs_total", labels, static_cast<double>(worker.epochs));
    sample("troupe_training_seconds_total", labels, worker.seconds);
  }
  for (const auto& [name, record] : run.summary().records())
    if (record.choose)
      sample("troupe_record", "{" + of_run + "," + prometheus_label("record", name) + "}",
             record.last);
}

void PrometheusText::add_pages(std::size_t pages, std::size_t dropped) {
  sample("troupe_dashboard_pages", "", static_cast<double>(pages));
  sample("troupe_dashboard_dropped_pages_total", "", static_cast<double>(dropped));
}

std::string PrometheusText::text() const {
  std::string text;
  for (const auto& [name, type, help] : metrics)
    if (const auto found = samples_.find(name); found != samples_.end())
      text += std::string{"# HELP "} + name + " " + help + "\n# TYPE " + name + " " + type + "\n"
              + found->second;
  return text;
}

} // namespace troupe
