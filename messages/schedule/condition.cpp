#include "messages/schedule/condition.hpp"

#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"
#include "messages/schedule/due.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

constexpr std::string_view on_record_begin = "on_record(";

/// The callbacks, and before_first_epoch.
const std::vector<std::string>& moment_names() {
  static const auto names = [] {
    std::vector<std::string> all{callback_names.begin(), callback_names.end()};
    all.insert(std::find(all.begin(), all.end(), "before_epoch"), "before_first_epoch");
    return all;
  }();
  return names;
}

/// @returns the condition "at this moment"; nothing if `name` is no moment.
std::optional<Condition> moment(std::string_view name) {
  Condition condition;
  condition.first_epoch_only = name == "before_first_epoch";
  if (condition.first_epoch_only)
    condition.callback = Callback::before_epoch;
  else if (auto callback = callback_from(name))
    condition.callback = *callback;
  else
    return std::nullopt;
  return condition;
}

/// The positive number that a trigger takes. It may be a double, because some configurations have
/// no whole numbers.
double trigger_number(std::string_view name, const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value); whole && *whole > 0)
    return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value); real && *real > 0 && std::isfinite(*real))
    return *real;
  throw std::invalid_argument(std::string{name} + " takes a positive number, not '"
                              + to_string(value) + "'");
}

Condition on_schedule(const Schedule& schedule) {
  const auto timelines = timelines_of(schedule);
  const bool epochs = timelines == std::vector<std::string>{"epochs"};
  Condition condition;
  condition.callback = epochs ? Callback::after_epoch : Callback::after_batch;
  condition.schedule = schedule;
  return condition;
}

Schedule scheduled(std::string_view name, const Value& value,
                   const std::vector<std::string>& timelines) {
  if (name == "when") {
    if (const auto* text = std::get_if<std::string>(&value))
      return parse_schedule(*text, timelines);
    throw std::invalid_argument("when takes the text of a schedule, as \"each(10 batches)\", not '"
                                + to_string(value) + "'");
  }
  const auto n = trigger_number(name, value);
  const auto times = name.substr(0, 5) == "every" ? each(n) : at(n);
  return times.on(name.substr(name.rfind('_') + 1));
}

Condition triggered(std::string_view name, const Value& value,
                    const std::vector<std::string>& timelines) {
  if (auto condition = moment(name)) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (!std::holds_alternative<bool>(value) && !(whole && *whole == 1))
      throw std::invalid_argument(std::string{name} + " takes true or false, not '"
                                  + to_string(value) + "'");
    return *condition;
  }
  try {
    return on_schedule(scheduled(name, value, timelines));
  } catch (const std::invalid_argument& error) {
    const std::string sentence = error.what();
    if (sentence.rfind(name, 0) == 0)
      throw;
    throw std::invalid_argument(std::string{name} + ": " + sentence);
  }
}

} // namespace

std::string on_record(std::string_view name) {
  if (name.empty())
    throw std::invalid_argument("on_record needs the name of a record");
  return std::string{on_record_begin} + std::string{name} + ")";
}

std::string lacks_record(std::string_view name) {
  if (name.empty())
    throw std::invalid_argument("lacks_record needs the name of a record");
  return "lacks_record(" + std::string{name} + ")";
}

std::string each_episode(Step n) {
  if (n == 0)
    throw std::invalid_argument("each_episode takes a number of episodes, 1 or more, not 0");
  return "each_episode(" + std::to_string(n) + ")";
}

Conditions& Conditions::add_condition(const std::vector<std::string>& callbacks,
                                      const std::string& predicate,
                                      const std::vector<std::string>& arguments) {
  if (callbacks.empty())
    throw std::invalid_argument("a condition needs at least one callback; known are "
                                + joined(moment_names()));
  std::vector<Condition> added;
  for (const auto& name : callbacks) {
    auto condition = moment(name);
    if (!condition)
      throw std::invalid_argument("unknown callback '" + name + "'; known are "
                                  + joined(moment_names()));
    // on_record() stays a predicate, and is rejected as an unknown one.
    if (predicate.rfind(on_record_begin, 0) == 0 && predicate.back() == ')'
        && predicate.size() > on_record_begin.size() + 1)
      condition->record
        = predicate.substr(on_record_begin.size(), predicate.size() - on_record_begin.size() - 1);
    else
      condition->predicate = predicate;
    condition->arguments = arguments;
    added.push_back(std::move(*condition));
  }
  conditions_.insert(conditions_.end(), added.begin(), added.end());
  return *this;
}

Conditions& Conditions::add_condition(Condition condition) {
  if (static_cast<std::size_t>(condition.callback) >= callback_names.size())
    throw std::invalid_argument("unknown " + to_string(condition.callback) + "; known are "
                                + joined(callback_names));
  conditions_.push_back(std::move(condition));
  return *this;
}

Conditions& Conditions::set_trigger(std::string_view name, const Value& value,
                                    const std::vector<std::string>& arguments,
                                    const std::vector<std::string>& timelines) {
  const auto& known = trigger_names();
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw std::invalid_argument("unknown trigger '" + std::string{name} + "'"
                                + suggestion(name, known, "known are " + joined(known)));
  auto old = std::find_if(conditions_.begin(), conditions_.end(),
                          [&](const Condition& c) { return c.trigger == name; });
  if (!truthy(value)) {
    if (old != conditions_.end())
      conditions_.erase(old);
    return *this;
  }
  auto condition = triggered(name, value, timelines);
  condition.trigger = name;
  condition.arguments = arguments;
  if (old != conditions_.end())
    *old = std::move(condition);
  else
    conditions_.push_back(std::move(condition));
  return *this;
}

Conditions& Conditions::set_conditions(const std::vector<std::pair<std::string, Value>>& triggers) {
  Conditions fresh;
  for (const auto& [name, value] : triggers)
    fresh.set_trigger(name, value);
  conditions_ = std::move(fresh.conditions_);
  return *this;
}

Conditions& Conditions::when(const Schedule& schedule, const std::vector<std::string>& arguments) {
  auto condition = on_schedule(schedule);
  condition.arguments = arguments;
  return add_condition(std::move(condition));
}

Conditions& Conditions::coalesce(bool one_firing) {
  coalesce_ = one_firing;
  return *this;
}

const std::vector<std::string>& trigger_names() {
  static const auto names = [] {
    auto all = moment_names();
    all.insert(all.end(), {"every_n_batches", "after_n_batches", "every_n_epochs", "after_n_epochs",
                           "every_n_seconds", "when"});
    return all;
  }();
  return names;
}

std::vector<Callback> moments_of(const Condition& condition) {
  const auto timelines = timelines_of(condition.schedule);
  const auto epochs = std::find(timelines.begin(), timelines.end(), "epochs") != timelines.end();
  if (condition.callback == Callback::after_batch && epochs && timelines.size() > 1)
    return {Callback::after_batch, Callback::after_epoch};
  return {condition.callback};
}

std::vector<std::string> lost_conditions(const Conditions& conditions, const Position& start) {
  std::vector<std::string> sentences;
  for (const auto& condition : conditions.all()) {
    if (condition.first_epoch_only || !Due{condition.schedule, start}.exhausted())
      continue;
    const auto name = condition.trigger.empty() ? to_string(condition.callback) : condition.trigger;
    sentences.push_back("condition " + name + " can never be true: training continues after batch "
                        + std::to_string(start.batches) + ", epoch " + std::to_string(start.epochs)
                        + ", and " + to_string(condition.schedule) + " has no time after that");
  }
  return sentences;
}

} // namespace troupe
