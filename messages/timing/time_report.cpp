#include "messages/timing/time_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace troupe {

namespace {

TimeSection with_rest(TimeSection section) {
  auto rest = section.seconds;
  for (const auto& part : section.parts)
    rest -= part.seconds;
  section.parts.push_back({"other", std::max(0.0, rest), {}});
  return section;
}

std::size_t widest_name(const TimeSection& section, std::size_t depth) {
  auto widest = section.name.size() + 2 * depth;
  for (const auto& part : section.parts)
    widest = std::max(widest, widest_name(part, depth + 1));
  return widest;
}

void print(const TimeSection& section, double whole, std::size_t depth, std::size_t width,
           std::string& text) {
  auto name = std::string(2 * depth, ' ') + section.name;
  name.resize(width, ' ');
  text += (text.empty() ? "" : "\n") + name
          + fmt::format("  {:10.3f} s  {:5.1f} %", section.seconds,
                        whole > 0 ? 100 * section.seconds / whole : 0.0);
  for (const auto& part : section.parts)
    print(part, whole, depth + 1, width, text);
}

} // namespace

TimeSection time_report(const Status& status) {
  const auto& totals = status.totals;
  TimeSection gates{"gates", totals.gate_seconds, {}};
  for (const auto& subscription : status.subscriptions)
    if (subscription.waited_seconds > 0)
      gates.parts.push_back({subscription.name, subscription.waited_seconds, {}});
  std::stable_sort(gates.parts.begin(), gates.parts.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  if (!gates.parts.empty())
    gates = with_rest(std::move(gates));
  // The time before the first batch includes waiting for gates, which is counted there.
  const auto steps = status.position.training_seconds;
  const auto known = totals.reading_seconds + steps + totals.gate_seconds;
  const auto whole = std::max(status.position.seconds, known);
  const auto initialization = std::clamp(totals.initialization_seconds, 0.0, whole - known);
  return with_rest({"run",
                    whole,
                    {{"initialization", initialization, {}},
                     {"reading data", totals.reading_seconds, {}},
                     {"steps", steps, {}},
                     gates}});
}

std::string print_time_report(const TimeSection& report) {
  std::string text;
  print(report, report.seconds, 0, widest_name(report, 0), text);
  return text;
}

} // namespace troupe
