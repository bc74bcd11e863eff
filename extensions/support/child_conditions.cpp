#include "extensions/support/child_conditions.hpp"

#include "extensions/support/saved_state.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

constexpr auto row_prefix = "row.";

bool looks_at_rows(const Conditions& conditions) {
  const auto& all = conditions.all();
  return std::any_of(all.begin(), all.end(), [](const Condition& condition) {
    return !condition.record.empty() || !condition.predicate.empty();
  });
}

/// A position with every timeline of the conditions. The trainer checks on subscription that they
/// are registered.
Position any_start(const Conditions& conditions) {
  Position start;
  for (const auto& condition : conditions.all())
    for (const auto& timeline : timelines_of(condition.schedule))
      if (!is_builtin_timeline(timeline))
        start.timelines[timeline] = 0;
  return start;
}

/// The position before the event as far as known, for an extension that is subscribed during
/// training.
Position before(const LoopEvent& event) {
  auto position = event.position;
  if (event.callback == Callback::after_batch && position.batches > 0)
    --position.batches;
  if (event.callback == Callback::after_epoch && position.epochs > 0)
    --position.epochs;
  return position;
}

} // namespace

ChildConditions::ChildConditions(std::vector<Conditions> children, PredicateRegistry predicates)
  : children_(std::move(children)),
    predicates_(std::move(predicates)) {
  for (const auto& child : children_)
    Triggered{child, any_start(child), predicates_};
}

void ChildConditions::follow(const LoopEvent& event) {
  const auto begins = event.callback == Callback::before_training;
  if (triggered_.empty()) {
    std::vector<Triggered> triggered;
    for (const auto& child : children_)
      triggered.emplace_back(child, begins ? event.position : before(event), predicates_);
    triggered_ = std::move(triggered);
  }
  const auto resumes = begins && std::exchange(restored_, false);
  if (event.position.batches != batch_ || (begins && !resumes))
    row_.clear();
  batch_ = event.position.batches;
}

bool ChildConditions::want_row(const LoopEvent& event) const {
  for (std::size_t i = 0; i < triggered_.size(); ++i)
    if (looks_at_rows(children_[i]) && triggered_[i].possible(event.callback, event.position))
      return true;
  return false;
}

std::vector<Firing> ChildConditions::firings(std::size_t i, const LoopEvent& event,
                                             const Records& logged) {
  auto row = logged;
  row.insert(row_.begin(), row_.end());
  return triggered_[i].firings(event.callback, event.position, row);
}

void ChildConditions::wrote(const Records& records) {
  for (const auto& [record, value] : records)
    row_[record] = value;
}

SavedFields ChildConditions::state() const {
  SavedFields state;
  put(state, "batch", batch_);
  put_part(state, row_prefix, row_);
  return state;
}

void ChildConditions::restore(const SavedFields& state) {
  take(state, "batch", batch_);
  row_.clear();
  for (const auto& [name, field] : part_of(state, row_prefix))
    if (const auto value = value_of(field))
      row_[name] = *value;
  triggered_.clear();
  restored_ = true;
}

Conditions union_of(const std::vector<Conditions>& children) {
  std::map<Callback, std::vector<Schedule>> schedules{{Callback::before_training, {always()}}};
  for (const auto& child : children)
    for (const auto& condition : child.all())
      for (const auto moment : moments_of(condition))
        schedules[moment].push_back(condition.schedule);
  Conditions conditions;
  for (auto& [callback, parts] : schedules) {
    Condition condition;
    condition.callback = callback;
    // A schedule of several timelines must see each boundary.
    const auto simple = std::all_of(parts.begin(), parts.end(), [](const Schedule& schedule) {
      return timelines_of(schedule).size() == 1;
    });
    try {
      if (simple)
        condition.schedule = Schedule::combine(Schedule::Kind::any, parts);
    } catch (const std::invalid_argument&) {
      condition.schedule = always(); // too many periods for one schedule
    }
    conditions.add_condition(condition);
  }
  return conditions;
}

} // namespace troupe
