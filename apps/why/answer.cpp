#include "apps/why/answer.hpp"

#include "base/text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

std::string percent_of(double part, double whole) {
  return fmt::format("{:.0f} %", whole > 0 ? 100 * part / whole : 0.0);
}

std::string worker_name(WorkerId worker) { return "worker " + std::to_string(worker); }

std::string extension_name(const std::string& name) { return "extension '" + name + "'"; }

std::string where_of(const Cause& cause) {
  return cause.worker && cause.kind != CauseKind::slow_worker ? " on " + worker_name(*cause.worker)
                                                              : "";
}

/// The subject of a sentence.
std::string subject_of(const Cause& cause, const WhyAnswer& answer) {
  switch (cause.kind) {
  case CauseKind::reading: return "Reading data";
  case CauseKind::gradient: return "Computing the gradient";
  case CauseKind::update: return "The optimizer's update";
  case CauseKind::between: return "What happens between two batches";
  case CauseKind::gate: return "Extension '" + cause.gate + "', for which training waits,";
  case CauseKind::checkpoint: return "Saving states by " + extension_name(cause.gate);
  case CauseKind::evaluation: return "Evaluation by " + extension_name(cause.gate);
  case CauseKind::joining: return "Waiting for the cluster at the start or the end";
  case CauseKind::holder: return "The parameter holder's work";
  case CauseKind::limit: return "The holder's limit of pushes per second";
  case CauseKind::network: return "Sending parameters in syncs";
  case CauseKind::waiting: return "Waiting for a worker whose log is not here";
  case CauseKind::held: return "A pause, by remote control or for a checkpoint of all workers";
  case CauseKind::slow_worker:
    return "Slow " + worker_name(*cause.worker) + ", which computes longer than the others,";
  case CauseKind::tiny_batches:
    return "The size of the batches, " + quantity(answer.run.batch_size, "example")
           + ", so that each has the costs of a large one";
  case CauseKind::few_cores:
    return "A lack of cores"
           + (cause.gate.empty() ? std::string{", for which its threads wait,"}
                                 : ", which " + extension_name(cause.gate) + " uses, too,");
  case CauseKind::other_programs: break;
  }
  return "The work of other programs on the same cores";
}

std::string rarer(const std::string& what, const std::string& gate) {
  return what + " less often: extensions." + gate + " takes every_n_batches or every_n_epochs.";
}

std::string advice_for(const Cause& cause, const WhyAnswer& answer) {
  switch (cause.kind) {
  case CauseKind::reading:
    return answer.ahead ? "The loader reads all the time, so only data that are cheaper to read "
                          "help."
                        : "Let a loader read while the run trains: training.loader.ahead=4.";
  case CauseKind::gradient:
    return "Only faster computation helps: training.threads, a smaller model, or a graphics card "
           "where its layers have a version for one.";
  case CauseKind::update:
  case CauseKind::between:
    return "Larger batches need fewer of these: training.batch_size="
           + std::to_string(4 * std::max<Step>(1, answer.run.batch_size)) + ".";
  case CauseKind::gate: return rarer("Ask it", cause.gate);
  case CauseKind::checkpoint: return rarer("Save", cause.gate);
  case CauseKind::evaluation: return rarer("Measure", cause.gate);
  case CauseKind::joining: return "All processes of a cluster are best started at once.";
  case CauseKind::holder:
    return "Divide its work with `troupe launch --shards 2`, or sync less often.";
  case CauseKind::limit: return "A larger --pushes-per-second raises it.";
  case CauseKind::network:
    return "Sync less often by every_n_batches, or send fewer bytes: cluster.wire.format=bfloat16.";
  case CauseKind::waiting: return "Name the cluster's folder, in which all logs are.";
  case CauseKind::held: return "It ends by itself, or by `troupe ctl RUN resume`.";
  case CauseKind::slow_worker:
    return answer.run.coupled() ? "With staleness: unbounded the others do not wait for it."
                                : "The others end earlier; the run ends with it.";
  case CauseKind::tiny_batches:
    return "Train on larger batches: training.batch_size=" + std::to_string(answer.run.larger->size)
           + ".";
  case CauseKind::few_cores: return "More cores, or fewer threads and extensions, help.";
  case CauseKind::other_programs: break;
  }
  return "A machine without them helps.";
}

std::string measured_sentence(const WhyAnswer& answer) {
  const auto& workers = answer.run.workers;
  Step batches = 0;
  for (const auto& worker : workers)
    batches += worker.batches;
  const auto* last = answer.run.find(answer.path.worker);
  const auto each = answer.path.seconds / static_cast<double>(std::max<Step>(1, last->batches));
  return fmt::format("{} {} {} in {}{}, {} a batch{}.", answer.name,
                     answer.ended ? "trained" : "has trained", quantity(batches, "batch", "es"),
                     shown_seconds(answer.path.seconds), answer.ended ? "" : " so far",
                     shown_seconds(each),
                     workers.size() > 1 ? " of each of " + quantity(workers.size(), "worker") : "");
}

std::string path_sentence(const WhyAnswer& answer) {
  std::string text = "The critical path leads";
  const auto& path = answer.path;
  text
    += answer.run.workers.size() > 1 ? " through " + worker_name(path.worker) + ": " : " through ";
  constexpr std::size_t most = 4;
  constexpr double least = 0.01; // of the path
  auto left = path.costs.size();
  for (std::size_t i = 0; i < std::min(most, path.costs.size()); ++i) {
    const auto& [worker, cost] = path.costs[i];
    if (i > 0 && cost.seconds < least * path.seconds)
      break;
    --left;
    text += (i == 0 ? "" : ", ") + name_of(cost)
            + (worker == path.worker ? "" : " of " + worker_name(worker)) + " "
            + percent_of(cost.seconds, path.seconds);
  }
  return text + (left > 0 ? ", and less." : ".");
}

std::string gain_sentence(const WhyAnswer& answer) {
  const auto& cause = answer.causes.front();
  const auto before = answer.path.seconds;
  auto text = fmt::format("Without it the run would last {} instead of {}",
                          shown_seconds(cause.without), shown_seconds(before));
  if (cause.without > 0.02 * before)
    text += fmt::format(", {:.1f} times as fast", before / cause.without);
  if (answer.causes.size() > 1)
    text += "; what costs most then is: " + to_string(answer.causes[1].kind);
  return text + ".";
}

Json json_of_cost(const Cost& cost) {
  Json json{{"cost", name_of(cost)}, {"seconds", cost.seconds}};
  if (!cost.gate.empty())
    json["extension"] = cost.gate;
  return json;
}

Json json_of_cause(const Cause& cause, double seconds) {
  Json json{{"cause", to_string(cause.kind)}};
  if (!cause.gate.empty())
    json["extension"] = cause.gate;
  if (cause.worker)
    json["worker"] = *cause.worker;
  json["seconds"] = cause.seconds;
  json["without"] = cause.without;
  json["gain"] = seconds - cause.without;
  return json;
}

} // namespace

std::string name_of(const Cost& cost) {
  switch (cost.kind) {
  case CostKind::reading: return "reading";
  case CostKind::gradient: return "gradient";
  case CostKind::update: return "update";
  case CostKind::between: return "between batches";
  case CostKind::gate:
  case CostKind::checkpoint:
  case CostKind::evaluation: return cost.gate;
  case CostKind::joining: return "joining";
  case CostKind::holder: return "holder";
  case CostKind::limit: return "rate limit";
  case CostKind::network: return "network";
  case CostKind::waiting:
    return cost.awaited ? "waiting for " + worker_name(*cost.awaited) : "waiting";
  case CostKind::held: break;
  }
  return "held";
}

std::string shown_seconds(double seconds) {
  if (seconds < 1e-3)
    return fmt::format("{:.0f} us", 1e6 * seconds);
  if (seconds < 1)
    return fmt::format("{:.{}f} ms", 1e3 * seconds, seconds < 0.01 ? 1 : 0);
  return fmt::format("{:.{}f} s", seconds, seconds < 100 ? 1 : 0);
}

WhyAnswer why_answer(const std::filesystem::path& folder, ReadRun read) {
  const auto named = is_directory(folder) ? canonical(folder) : absolute(folder).parent_path();
  WhyAnswer answer{"Run " + named.filename().string(), read.ended, read.ahead,
                   std::move(read.measured),           {},         {}};
  answer.path = critical_path(answer.run);
  answer.causes = causes_of(answer.run, answer.path);
  return answer;
}

std::vector<std::string> sentences_of(const WhyAnswer& answer) {
  const auto& cause = answer.causes.front();
  return {measured_sentence(answer),
          fmt::format("{}{} bounds it: {}, {} of the critical path.", subject_of(cause, answer),
                      where_of(cause), shown_seconds(cause.seconds),
                      percent_of(cause.seconds, answer.path.seconds)),
          path_sentence(answer), gain_sentence(answer), advice_for(cause, answer)};
}

nlohmann::ordered_json json_of(const WhyAnswer& answer) {
  Json json{{"run", answer.name},
            {"ended", answer.ended},
            {"seconds", answer.path.seconds},
            {"sentences", sentences_of(answer)}};
  json["bounded_by"] = json_of_cause(answer.causes.front(), answer.path.seconds);
  for (const auto& cause : answer.causes)
    json["causes"].push_back(json_of_cause(cause, answer.path.seconds));
  for (const auto& [worker, cost] : answer.path.costs) {
    auto part = json_of_cost(cost);
    part["worker"] = worker;
    json["critical_path"].push_back(std::move(part));
  }
  for (const auto& worker : answer.run.workers) {
    Json one{{"worker", worker.worker}, {"seconds", worker.seconds}, {"batches", worker.batches}};
    for (const auto& cost : worker.costs)
      one["costs"].push_back(json_of_cost(cost));
    json["workers"].push_back(std::move(one));
  }
  if (answer.run.larger)
    json["larger_batches"]
      = {{"batch_size", answer.run.larger->size}, {"ratio", answer.run.larger->ratio}};
  return json;
}

} // namespace troupe
