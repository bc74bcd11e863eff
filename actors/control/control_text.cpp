#include "actors/control/control_text.hpp"

#include "base/text/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace troupe {

namespace {

using ControlJson = nlohmann::ordered_json;

std::string four_digits(double x) { return fmt::format("{:.4g}", without_nan_sign(x)); }

ControlJson finite_or_text(double x) {
  return std::isfinite(x) ? ControlJson(x) : ControlJson(shortest(x));
}

std::string on_one_line(const ControlJson& json) {
  return json.dump(-1, ' ', false, ControlJson::error_handler_t::replace);
}

} // namespace

std::string status_line(const Status& status) {
  const auto& position = status.position;
  auto text = "worker " + std::to_string(status.worker) + ": " + status.phase + ", "
              + std::to_string(position.batches) + " batches and " + std::to_string(position.epochs)
              + " epochs done, loss " + four_digits(status.loss) + ", learning rate "
              + four_digits(status.learning_rate);
  if (!status.waiting_for.empty())
    text += ", waits for '" + status.waiting_for + "'";
  return text;
}

std::vector<std::string> status_lines(const Status& status) {
  std::vector<std::string> lines{status_line(status)};
  for (const auto& extension : status.subscriptions) {
    auto line = "  " + extension.name + ": " + std::to_string(extension.sent) + " events";
    if (extension.lost > 0)
      line += ", " + std::to_string(extension.lost) + " lost";
    if (extension.waited_seconds > 0)
      line += ", " + four_digits(extension.waited_seconds) + " s waited for";
    lines.push_back(line);
  }
  return lines;
}

std::string status_json(const Status& status) {
  ControlJson json;
  json["worker"] = status.worker;
  json["phase"] = status.phase;
  json["waiting_for"] = status.waiting_for;
  json["batches"] = status.position.batches;
  json["epochs"] = status.position.epochs;
  json["examples"] = status.position.examples;
  json["seconds"] = finite_or_text(status.position.seconds);
  json["loss"] = finite_or_text(status.loss);
  json["learning_rate"] = finite_or_text(status.learning_rate);
  json["extensions"] = ControlJson::array();
  for (const auto& extension : status.subscriptions)
    json["extensions"].push_back({{"name", extension.name},
                                  {"events", extension.sent},
                                  {"lost", extension.lost},
                                  {"waited_seconds", finite_or_text(extension.waited_seconds)}});
  return on_one_line(json);
}

std::string row_json(const Row& row) {
  ControlJson json;
  json["worker"] = row.row.worker;
  json["batch"] = row.row.batch;
  json["epoch"] = row.epoch;
  json["seconds"] = finite_or_text(row.seconds);
  json["records"] = ControlJson::object();
  for (const auto& [name, value] : row.records)
    json["records"][name] = std::visit(
      [](const auto& x) -> ControlJson {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, double>)
          return finite_or_text(x);
        else
          return x;
      },
      value);
  return on_one_line(json);
}

bool is_resting(const Status& status) {
  return status.phase == "paused" || status.phase == "idle" || status.phase == "ended"
         || status.phase == "failed";
}

} // namespace troupe
