#include "apps/simulate/simulation_text.hpp"

#include "apps/catalog/extension_catalog.hpp"
#include "apps/session/result_text.hpp"
#include "base/text/text.hpp"
#include "messages/evaluation/undefined_metrics.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe {

namespace {

/// The time that a worker waited for its syncs.
double sync_seconds(const Finished& worker, const RunConfig& config) {
  double seconds = 0;
  for (const auto& extension : config.extensions)
    for (const auto& subscription : worker.subscriptions)
      if (shares_parameters(extension.type) && extension.name == subscription.name)
        seconds += subscription.waited_seconds;
  return seconds;
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// The result of the main worker, the only one that tests; null if the problem has no test section.
const SessionResult* tested(const SimulatedRun& run) {
  for (const auto& worker : run.workers)
    if (worker && worker->test)
      return &*worker;
  return nullptr;
}

std::string worker_text(const std::optional<SessionResult>& worker, const RunConfig& config) {
  if (!worker)
    return "was killed";
  const auto& finished = worker->finished.front();
  const auto& at = finished.position;
  return quantity(at.batches, "batch", "es") + " in " + fmt::format("{:.1f} s", at.seconds)
         + fmt::format(", {:.0f} % of them in syncs",
                       100 * share(sync_seconds(finished, config), at.seconds))
         + (worker->outcome == Outcome::failed ? "; failed" : "");
}

} // namespace

std::string network_text(const SimulatedClusterOptions& options) {
  const auto& network = options.network;
  std::string text = quantity(options.holders, "holder") + "; " + shortest(network.latency * 1e3)
                     + " ms, " + shortest(network.bandwidth * 8 / 1e6) + " Mbit/s";
  if (network.loss > 0)
    text += ", " + shortest(network.loss) + " lost";
  return text;
}

std::string simulation_text(const SimulatedRun& run, const RunConfig& config,
                            const SimulatedClusterOptions& options, double took) {
  std::string text;
  const auto line = [&text](const std::string& name, const std::string& value) {
    text += fmt::format("{:<16} ", name) + value + "\n";
  };
  if (const auto* main = tested(run))
    for (const auto& metric : main->test->metrics)
      line("test " + metric.name, fmt::format("{:.4f}", without_nan_sign(metric.value))
                                    + undefined_mark(metric.name, main->test->undefined));
  line("simulated", fmt::format("{:.1f} s, in {:.1f} s", run.seconds, took));
  for (std::size_t worker = 0; worker < run.workers.size(); ++worker)
    line(node_name(worker, options.workers), worker_text(run.workers[worker], config));
  for (std::size_t shard = 0; shard < run.holders.size(); ++shard)
    line(node_name(options.workers + shard, options.workers),
         quantity(run.holders[shard].pushes, "push", "es"));
  if (const auto* main = tested(run))
    line("parameters", fingerprint(main->parameters.values));
  line("network", quantity(run.messages, "message")
                    + fmt::format(", {:.1f} MB", static_cast<double>(run.bytes) / 1e6));
  line("fingerprint", run.fingerprint + ", the same for the same seed");
  return text + fmt::format("{:<16} ", "run") + options.folder.string();
}

std::string simulation_json(const SimulatedRun& run, const RunConfig& config,
                            const SimulatedClusterOptions& options) {
  nlohmann::ordered_json json;
  if (const auto* main = tested(run))
    for (const auto& metric : main->test->metrics)
      json["test"][metric.name] = metric.value;
  if (const auto* main = tested(run))
    json["parameters"] = fingerprint(main->parameters.values);
  json["seconds"] = run.seconds;
  for (std::size_t worker = 0; worker < run.workers.size(); ++worker) {
    nlohmann::ordered_json entry{{"worker", worker}, {"killed", !run.workers[worker]}};
    if (const auto& result = run.workers[worker]) {
      const auto& finished = result->finished.front();
      entry["outcome"] = to_string(result->outcome);
      entry["batches"] = finished.position.batches;
      entry["seconds"] = finished.position.seconds;
      entry["sync_seconds"] = sync_seconds(finished, config);
    }
    json["workers"].push_back(std::move(entry));
  }
  for (const auto& holder : run.holders)
    json["holders"].push_back({{"pushes", holder.pushes}, {"version", holder.version}});
  json["messages"] = run.messages;
  json["bytes"] = run.bytes;
  json["fingerprint"] = run.fingerprint;
  json["run"] = options.folder.string();
  return json.dump();
}

std::string first_failure(const SimulatedRun& run) {
  for (const auto& worker : run.workers)
    if (worker && worker->outcome == Outcome::failed)
      return worker->reason;
  return "";
}

} // namespace troupe
