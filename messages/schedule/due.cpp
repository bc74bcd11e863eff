#include "messages/schedule/due.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

using Kind = Schedule::Kind;

namespace {

/// Whether a set on one timeline contains all but some times, as a complement does.
bool holds_nearly_all(const Schedule& set) {
  const auto& parts = set.parts();
  switch (set.kind()) {
  case Kind::all: return std::all_of(parts.begin(), parts.end(), holds_nearly_all);
  case Kind::any: return std::any_of(parts.begin(), parts.end(), holds_nearly_all);
  case Kind::complement: return !holds_nearly_all(parts.front());
  default: return false;
  }
}

} // namespace

Due::Due(const Schedule& schedule, const Position& start) {
  root_ = timelines_of(schedule).size() == 1 ? watch(schedule, start) : compile(schedule, start);
  idle_due_ = true_of(root_);
}

Due::Fact Due::watch(const Schedule& set, const Position& start) {
  const auto name = timelines_of(set).front();
  const auto timeline = builtin_timeline(name).value_or(Timeline::custom);
  TimeSet times{set, counts(timeline)};
  const auto last = time_on(start, name);
  watches_.push_back({times.next(last), timeline, last, name, std::move(times), 0});
  return {Kind::at, watches_.size() - 1, {}};
}

// A complement is evaluated for the whole boundary, like every other fact: as a set on epochs it
// would be empty within an epoch, and on examples it would meet every batch.
Due::Fact Due::compile(const Schedule& schedule, const Position& start) {
  const auto names = timelines_of(schedule);
  if (names.empty())
    return {schedule.kind(), 0, {}};
  if (names.size() == 1) {
    if (!holds_nearly_all(schedule))
      return watch(schedule, start);
    return {Kind::complement, 0, {watch(~schedule, start)}};
  }
  Fact fact{schedule.kind(), 0, {}};
  if (schedule.kind() == Kind::complement) {
    fact.parts.push_back(compile(schedule.parts().front(), start));
    return fact;
  }
  // Parts on the same timeline are one set, regardless of their place in the operator.
  std::map<std::string, std::vector<Schedule>> alike;
  for (const auto& part : schedule.parts())
    if (const auto of_part = timelines_of(part); of_part.size() == 1)
      alike[of_part[0]].push_back(part);
    else
      fact.parts.push_back(compile(part, start));
  for (auto& [timeline, parts] : alike)
    fact.parts.push_back(compile(Schedule::combine(fact.kind, std::move(parts)), start));
  return fact;
}

void Due::move(const Position& now) {
  for (auto& watch : watches_) {
    const auto time = watch.time(now);
    watch.fired += watch.times.count(watch.last, time);
    if (time > watch.last) {
      watch.last = time;
      watch.next = watch.times.next(time);
    }
  }
}

std::uint64_t Due::advance(const Position& now) {
  for (auto& watch : watches_)
    watch.fired = 0;
  move(now);
  if (root_.kind == Kind::at)
    return watches_[0].fired;
  const bool due = true_of(root_);
  return due ? 1 : 0;
}

std::uint64_t Due::recheck(const Position& now) {
  const auto was_due = true_of(root_);
  move(now);
  return !was_due && true_of(root_) ? 1 : 0;
}

bool Due::true_of(const Fact& fact) const {
  auto part_true = [this](const Fact& part) { return true_of(part); };
  switch (fact.kind) {
  case Kind::always: return true;
  case Kind::at: return watches_[fact.watch].fired > 0;
  case Kind::all: return std::all_of(fact.parts.begin(), fact.parts.end(), part_true);
  case Kind::any: return std::any_of(fact.parts.begin(), fact.parts.end(), part_true);
  case Kind::complement: return !part_true(fact.parts.front());
  default: return false;
  }
}

bool Due::alive(const Fact& fact, bool negated) const {
  auto part_alive = [&](const Fact& part) { return alive(part, negated); };
  switch (fact.kind) {
  case Kind::always: return !negated;
  case Kind::at: return negated || std::isfinite(watches_[fact.watch].next);
  case Kind::complement: return alive(fact.parts.front(), !negated);
  case Kind::all:
  case Kind::any:
    return (fact.kind == Kind::all) != negated
             ? std::all_of(fact.parts.begin(), fact.parts.end(), part_alive)
             : std::any_of(fact.parts.begin(), fact.parts.end(), part_alive);
  default: return negated;
  }
}

double Due::Watch::registered_time(const Position& now) const {
  const auto found = now.timelines.find(name);
  return found == now.timelines.end() ? last : found->second;
}

} // namespace troupe
