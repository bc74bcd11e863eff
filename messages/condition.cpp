#include "troupe/messages/condition.hpp"

#include "troupe/messages/nearest_name.hpp"
#include "troupe/messages/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
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

/// @returns the condition "at this moment", nothing where `name` is none.
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

/// What stands in the brackets of "function(argument)"; nothing for another function.
std::optional<std::string> argument_of(std::string_view text, std::string_view function) {
  if (!text.starts_with(function) || !text.ends_with(')') || text.size() < function.size() + 3
      || text[function.size()] != '(')
    return {};
  return std::string{text.substr(function.size() + 1, text.size() - function.size() - 2)};
}

/// The function that needs no registry; none for another name.
Predicate builtin_predicate(std::string_view name) {
  if (const auto record = argument_of(name, "lacks_record"))
    return
      [record = *record](const Records& row, const Position&) { return !row.contains(record); };
  if (const auto text = argument_of(name, "each_episode"))
    if (const Step n = std::strtoull(text->c_str(), nullptr, 10); n > 0)
      return [n](const Records&, const Position& now) {
        return now.batches > 0 && (now.batches - 1) % n == 0;
      };
  return {};
}

/// The positive number a trigger asks for. A double may come from a configuration that has no whole
/// numbers.
double number_of(std::string_view name, const Value& value) {
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
  const auto n = number_of(name, value);
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
    throw std::invalid_argument("each_episode takes a number of episodes from 1 on, not 0");
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
                                + suggestion(name, known) + "; known are " + joined(known));
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

std::vector<std::string> unreachable(const Conditions& conditions, const Position& start) {
  std::vector<std::string> sentences;
  for (const auto& condition : conditions.all()) {
    const auto name = condition.trigger.empty() ? to_string(condition.callback) : condition.trigger;
    if (condition.first_epoch_only && start.epochs > 0)
      sentences.push_back("condition " + name + " can never be true: training goes on after epoch "
                          + std::to_string(start.epochs) + ", the first is over");
    else if (Due{condition.schedule, start}.exhausted())
      sentences.push_back("condition " + name + " can never be true: training goes on after batch "
                          + std::to_string(start.batches) + ", epoch "
                          + std::to_string(start.epochs) + ", and " + to_string(condition.schedule)
                          + " has no time after that");
  }
  return sentences;
}

Triggered::Triggered(const Conditions& conditions, const Position& start,
                     const PredicateRegistry& predicates)
  : coalesce_(conditions.coalesced()) {
  for (const auto& condition : conditions.all()) {
    const auto i = static_cast<std::size_t>(condition.callback);
    if (i >= at_.size())
      throw std::invalid_argument("unknown " + to_string(condition.callback) + "; known are "
                                  + joined(callback_names));
    Entry entry{Due{condition.schedule, start}, condition, {}};
    entry.predicate = builtin_predicate(condition.predicate);
    if (!condition.predicate.empty() && !entry.predicate) {
      std::vector<std::string> known;
      for (const auto& [name, function] : predicates)
        known.push_back(name);
      auto found = predicates.find(condition.predicate);
      if (found == predicates.end() || !found->second)
        throw std::invalid_argument("unknown predicate '" + condition.predicate + "'"
                                    + suggestion(condition.predicate, known)
                                    + "; register it on every node that uses it");
      entry.predicate = found->second;
    }
    for (const auto moment : moments_of(condition))
      at_[static_cast<std::size_t>(moment)].push_back(entries_.size());
    entries_.push_back(std::move(entry));
  }
}

std::uint64_t Triggered::times_of(Entry& entry, Callback callback, const Position& now) {
  if (!entry.due.possible(now))
    return 0;
  const auto same_boundary = callback == Callback::after_epoch && entry.looked_at == now.batches;
  entry.looked_at = now.batches;
  return same_boundary ? entry.due.look_again(now) : entry.due.advance(now);
}

std::vector<Firing> Triggered::firings(Callback callback, const Position& now, const Records& row) {
  std::vector<Firing> fired;
  const auto i = static_cast<std::size_t>(callback);
  if (i >= at_.size())
    return fired;
  for (const auto place : at_[i]) {
    auto& entry = entries_[place];
    const auto& condition = entry.condition;
    const auto times = times_of(entry, callback, now);
    if (times == 0 || (condition.first_epoch_only && now.epochs > 0))
      continue;
    if (!condition.record.empty()) {
      const auto record = row.find(condition.record);
      if (record == row.end() || !truthy(record->second))
        continue;
    }
    if (entry.predicate && !entry.predicate(row, now))
      continue;
    if (!coalesce_ || fired.empty()) {
      fired.push_back({times, condition.arguments});
      continue;
    }
    auto& one = fired.front();
    one.times = std::max(one.times, times);
    for (const auto& argument : condition.arguments)
      if (std::find(one.arguments.begin(), one.arguments.end(), argument) == one.arguments.end())
        one.arguments.push_back(argument);
  }
  return fired;
}

} // namespace troupe
