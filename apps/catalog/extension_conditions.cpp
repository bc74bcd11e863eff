#include "apps/catalog/extension_conditions.hpp"

#include "base/text/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace troupe {

namespace {

using config::Node;

constexpr const char* record_key = "on_record";

/// A trigger's value: a switch, a whole number, seconds, or a schedule's text.
Value trigger_value(const Node& node) {
  const auto& text = node.text();
  if (!node.is_scalar())
    return Value{std::string{}};
  if (const auto on = config::switch_of(node))
    return Value{*on};
  if (text == "0")
    return Value{false};
  if (is_digits(text) && text.size() < 18)
    return Value{std::int64_t{std::stoll(text)}};
  char* end = nullptr;
  const auto number = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0')
    return Value{number};
  return Value{text};
}

std::string place_of_key(const std::string& path, const std::string& key, const Node& value) {
  return path + "." + key + " (" + value.source() + ")";
}

/// The value means that no record is awaited.
bool takes_away(const Node& value) {
  return value.is_null() || (value.is_scalar() && value.text().empty())
         || config::switch_of(value) == std::optional{false};
}

/// @throws std::invalid_argument for an invalid record name or callback
void add_record(const std::string& callback, const Node& record, Conditions& conditions) {
  if (!record.is_scalar() || record.text().empty() || config::switch_of(record))
    throw std::invalid_argument("it is " + config::shown(record)
                                + "; give the name of a record, like validation_loss_best_so_far, "
                                  "or a list of names");
  conditions.add_condition({callback}, on_record(record.text()));
}

Sentences read_awaited(const Node& value, const std::string& path, Conditions& conditions) {
  if (takes_away(value))
    return {};
  if (!value.is_map())
    return {place_of_key(path, record_key, value) + " is " + config::shown(value)
            + "; give a callback and the record that it waits for, like {after_epoch: "
              "validation_loss_best_so_far}"};
  Sentences errors;
  auto added = conditions;
  for (const auto& [callback, records] : value.entries())
    try {
      if (records.is_list())
        for (const auto& record : records.items())
          add_record(callback, record, added);
      else if (!takes_away(records))
        add_record(callback, records, added);
    } catch (const std::invalid_argument& e) {
      errors.push_back(place_of_key(path, record_key + ("." + callback), records) + ": "
                       + e.what());
    }
  if (errors.empty())
    conditions = std::move(added);
  return errors;
}

} // namespace

const std::vector<std::string>& condition_keys() {
  static const auto keys = [] {
    auto all = trigger_names();
    all.emplace_back(record_key);
    return all;
  }();
  return keys;
}

Sentences read_condition(const std::string& key, const Node& value, const std::string& path,
                         Conditions& conditions) {
  if (key == record_key)
    return read_awaited(value, path, conditions);
  try {
    conditions.set_trigger(key, trigger_value(value));
  } catch (const std::invalid_argument& e) {
    return {place_of_key(path, key, value) + ": " + e.what()};
  }
  return {};
}

std::vector<std::string> awaited_records(const Conditions& conditions) {
  std::vector<std::string> records;
  for (const auto& condition : conditions.all())
    if (!condition.record.empty()
        && std::find(records.begin(), records.end(), condition.record) == records.end())
      records.push_back(condition.record);
  return records;
}

} // namespace troupe
