#include "messages/schedule/schedule.hpp"

#include "base/records.hpp"
#include "base/text/text.hpp"
#include "messages/schedule/position.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace troupe {

namespace {

using Kind = Schedule::Kind;

/// A double represents every whole number up to here.
constexpr double largest_count = 9007199254740992.0;

bool is_identifier(std::string_view name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front())
         && std::all_of(name.begin(), name.end(),
                        [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

template <class Visit>
void for_each_leaf(const Schedule& schedule, const Visit& visit) {
  if (schedule.kind() == Kind::each || schedule.kind() == Kind::at)
    visit(schedule);
  for (const auto& part : schedule.parts())
    for_each_leaf(part, visit);
}

void check_periods(const std::vector<Schedule>& parts) {
  std::map<std::string, std::set<double>> periods;
  for (const auto& part : parts)
    for_each_leaf(part, [&](const Schedule& leaf) {
      if (leaf.kind() == Kind::each)
        periods[leaf.timeline()].insert(leaf.period());
    });
  for (const auto& [timeline, distinct] : periods)
    if (distinct.size() > Schedule::most_periods)
      throw std::invalid_argument("a schedule holds at most "
                                  + std::to_string(Schedule::most_periods)
                                  + " different periods on one timeline; this one has "
                                  + std::to_string(distinct.size()) + " on " + timeline);
}

int depth_above(int depth) {
  if (depth >= Schedule::deepest)
    throw std::invalid_argument("a schedule nests at most " + std::to_string(Schedule::deepest)
                                + " operators");
  return depth + 1;
}

} // namespace

Schedule::Schedule(const Times& times) : Schedule(times.batches()) {}

Schedule Schedule::always() {
  Schedule result;
  result.kind_ = Kind::always;
  return result;
}

Schedule Schedule::combine(Kind kind, std::vector<Schedule> parts) {
  // `always` and `never` are no sets of times, so they are folded away here and never occur inside
  // an operator.
  const auto neutral = kind == Kind::all ? Kind::always : Kind::never;
  const auto absorbing = kind == Kind::all ? Kind::never : Kind::always;
  Schedule result;
  result.kind_ = kind;
  for (auto& part : parts) {
    if (part.kind_ == absorbing)
      return part;
    if (part.kind_ == neutral)
      continue;
    if (part.kind_ == kind)
      std::move(part.parts_.begin(), part.parts_.end(), std::back_inserter(result.parts_));
    else
      result.parts_.push_back(std::move(part));
  }
  if (result.parts_.empty())
    return neutral == Kind::always ? always() : Schedule{};
  if (result.parts_.size() == 1) {
    auto only = std::move(result.parts_.front());
    return only;
  }
  check_periods(result.parts_);
  for (const auto& part : result.parts_)
    result.depth_ = std::max(result.depth_, part.depth_);
  result.depth_ = depth_above(result.depth_);
  return result;
}

Schedule operator&(const Schedule& a, const Schedule& b) {
  return Schedule::combine(Kind::all, {a, b});
}

Schedule operator|(const Schedule& a, const Schedule& b) {
  return Schedule::combine(Kind::any, {a, b});
}

Schedule operator~(const Schedule& a) {
  if (a.kind() == Kind::complement)
    return Schedule{a.parts().front()};
  if (a.kind() == Kind::always)
    return {};
  if (a.kind() == Kind::never)
    return Schedule::always();
  Schedule result;
  result.kind_ = Kind::complement;
  result.depth_ = depth_above(a.depth_);
  result.parts_.push_back(a);
  return result;
}

Times::Times(Kind kind, std::vector<double> numbers) : kind_(kind), numbers_(std::move(numbers)) {
  const std::string name = kind == Kind::each ? "each" : "at";
  if (numbers_.empty())
    throw std::invalid_argument(name + "() needs a time, for example " + name + "(10)");
  for (auto x : numbers_)
    if (!(x > 0) || !std::isfinite(x))
      throw std::invalid_argument(name + "(" + shortest(x)
                                  + ") is impossible; a time must be positive and finite");
  std::sort(numbers_.begin(), numbers_.end());
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
}

Schedule Times::on(std::string_view timeline) const {
  const auto builtin = builtin_timeline(timeline);
  if (!builtin
      && (!is_identifier(timeline) || timeline == "each" || timeline == "at" || timeline == "always"
          || timeline == "never"))
    throw std::invalid_argument("'" + std::string{timeline}
                                + "' cannot name a timeline; use letters, digits and _");
  Schedule result;
  result.kind_ = kind_;
  result.timeline_ = builtin ? name_of(*builtin) : timeline;
  result.numbers_ = numbers_;
  if (builtin && counts(*builtin))
    for (auto x : numbers_)
      if (x != std::floor(x) || x > largest_count)
        throw std::invalid_argument(shortest(x) + " " + result.timeline_
                                    + " is impossible; use a whole number up to 2^53");
  return result;
}

Times each(double n) { return {Kind::each, {n}}; }

Times at(std::vector<double> times) { return {Kind::at, std::move(times)}; }

std::string to_string(const Schedule& schedule) {
  auto bracketed = [](const Schedule& part, bool brackets) {
    return brackets ? "(" + to_string(part) + ")" : to_string(part);
  };
  switch (schedule.kind()) {
  case Kind::never: return "never";
  case Kind::always: return "always";
  case Kind::each:
  case Kind::at:
    return (schedule.kind() == Kind::each ? "each(" : "at(")
           + joined(schedule.times(), ", ", shortest) + " " + schedule.timeline() + ")";
  case Kind::all:
    return joined(schedule.parts(), " & ",
                  [&](const Schedule& part) { return bracketed(part, part.kind() == Kind::any); });
  case Kind::any:
    return joined(schedule.parts(), " | ", [](const Schedule& part) { return to_string(part); });
  case Kind::complement: break;
  }
  return "~" + bracketed(schedule.parts().front(), !schedule.parts().front().parts().empty());
}

std::vector<std::string> timelines_of(const Schedule& schedule) {
  std::vector<std::string> names;
  for_each_leaf(schedule, [&](const Schedule& leaf) {
    if (std::find(names.begin(), names.end(), leaf.timeline()) == names.end())
      names.push_back(leaf.timeline());
  });
  return names;
}

} // namespace troupe
