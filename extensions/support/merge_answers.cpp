#include "extensions/support/merge_answers.hpp"

#include <utility>

namespace troupe {

void merge(GateAnswer& whole, GateAnswer part, const std::string& child) {
  for (auto& [record, value] : part.records)
    whole.records[record] = std::move(value);
  if (part.finish) {
    const auto reason = part.reason.empty() ? "'" + child + "' asked for it" : part.reason;
    whole.reason += (whole.finish ? "; " : "") + reason;
    whole.finish = true;
    whole.further_reasons.insert(whole.further_reasons.end(), part.further_reasons.begin(),
                                 part.further_reasons.end());
  }
  whole.close_epoch = whole.close_epoch || part.close_epoch;
  if (!part.parameters.empty())
    whole.parameters = std::move(part.parameters);
  if (!part.optimizer_slots.empty()) {
    whole.optimizer_slots = std::move(part.optimizer_slots);
    whole.optimizer_steps = part.optimizer_steps;
  }
  if (!part.gradient.empty())
    whole.gradient = std::move(part.gradient);
  for (const auto& [setting, value] : part.settings)
    whole.settings[setting] = value;
  for (const auto& [timeline, time] : part.timelines)
    whole.timelines[timeline] = time;
  for (const auto& [name, seconds] : part.spent)
    whole.spent[name] += seconds;
  for (auto& span : part.spans)
    whole.spans.push_back(std::move(span));
}

} // namespace troupe
