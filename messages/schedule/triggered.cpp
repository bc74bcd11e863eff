#include "messages/schedule/triggered.hpp"

#include "base/text/nearest_name.hpp"
#include "base/text/number_in.hpp"
#include "base/text/text.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

/// The argument of "function(argument)"; nothing for another function.
std::optional<std::string> argument_of(std::string_view text, std::string_view function) {
  if (!text.starts_with(function) || !text.ends_with(')') || text.size() < function.size() + 3
      || text[function.size()] != '(')
    return {};
  return std::string{text.substr(function.size() + 1, text.size() - function.size() - 2)};
}

Step episodes_from(std::string_view text) {
  const auto episodes = number_in<Step>(text).value_or(0);
  if (episodes == 0)
    throw std::invalid_argument("'" + std::string{text}
                                + "' is no number of episodes; each_episode takes a whole number "
                                  "from 1 to "
                                + std::to_string(std::numeric_limits<Step>::max()));
  return episodes;
}

/// The predicate that needs no registry; none for another name.
/// @throws std::invalid_argument for an invalid argument.
Predicate builtin_predicate(std::string_view name) {
  if (const auto record = argument_of(name, "lacks_record"))
    return
      [record = *record](const Records& row, const Position&) { return !row.contains(record); };
  if (const auto text = argument_of(name, "each_episode"))
    return [n = episodes_from(*text)](const Records&, const Position& now) {
      return now.batches > 0 && (now.batches - 1) % n == 0;
    };
  return {};
}

} // namespace

Triggered::Triggered(Conditions conditions, const Position& start,
                     const PredicateRegistry& predicates)
  : conditions_(std::move(conditions)) {
  entries_.reserve(conditions_.all().size());
  for (const auto& condition : conditions_.all()) {
    if (static_cast<std::size_t>(condition.callback) >= callback_names.size())
      throw std::invalid_argument("unknown " + to_string(condition.callback) + "; known are "
                                  + joined(callback_names));
    Entry entry{.due = Due{condition.schedule, start}};
    entry.predicate = builtin_predicate(condition.predicate);
    if (!condition.predicate.empty() && !entry.predicate) {
      std::vector<std::string> known;
      for (const auto& [name, function] : predicates)
        known.push_back(name);
      auto found = predicates.find(condition.predicate);
      if (found == predicates.end() || !found->second)
        throw std::invalid_argument(
          "unknown predicate '" + condition.predicate + "'"
          + suggestion(condition.predicate, known, "register it on every node that uses it"));
      entry.predicate = found->second;
    }
    for (const auto moment : moments_of(condition))
      entry.moments |= bit(moment);
    listened_ |= entry.moments;
    entries_.push_back(std::move(entry));
  }
}

std::uint64_t Triggered::times_of(Entry& entry, Callback callback, const Position& now) {
  if (!entry.due.possible(now))
    return 0;
  const auto same_boundary = callback == Callback::after_epoch && entry.checked_at == now.batches;
  entry.checked_at = now.batches;
  return same_boundary ? entry.due.recheck(now) : entry.due.advance(now);
}

std::vector<Firing> Triggered::firings(Callback callback, const Position& now, const Records& row) {
  std::vector<Firing> fired;
  std::optional<std::size_t> joint; // of the conditions that share one firing
  if (!listens(callback))
    return fired;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    auto& entry = entries_[i];
    if ((entry.moments & bit(callback)) == 0)
      continue;
    const auto& condition = conditions_.all()[i];
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
    const auto joins = conditions_.coalesced() && !condition.apart;
    if (!joins || !joint) {
      if (joins)
        joint = fired.size();
      fired.push_back({times, condition.arguments});
      continue;
    }
    auto& one = fired[*joint];
    one.times = std::max(one.times, times);
    for (const auto& argument : condition.arguments)
      if (std::find(one.arguments.begin(), one.arguments.end(), argument) == one.arguments.end())
        one.arguments.push_back(argument);
  }
  return fired;
}

} // namespace troupe
