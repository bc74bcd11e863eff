#pragma once

#include "messages/schedule/condition.hpp"
#include "messages/schedule/due.hpp"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A user's function of the current row. It runs inside the training loop: it has to be fast and
/// must not throw.
using Predicate = std::function<bool(const Records& row, const Position& now)>;

/// Name -> function; each process registers its own, conditions carry the names.
using PredicateRegistry = std::map<std::string, Predicate>;

/// One call of an extension.
struct Firing {
  std::uint64_t times = 1;            ///< number of times of the schedule since the last check
  std::vector<std::string> arguments; ///< of the condition, or of all that were coalesced
  FIELDS(times, arguments);
};

/// Evaluates conditions in a running loop:
///
///   if (triggered.possible(Callback::after_batch, now))
///     for (const auto& firing : triggered.firings(Callback::after_batch, now, row))
class Triggered {
public:
  /// Never fires.
  Triggered() = default;

  /// @throws std::invalid_argument for a predicate that is not in the registry, or a timeline that
  ///         `start` does not know.
  Triggered(const Conditions& conditions, const Position& start,
            const PredicateRegistry& predicates = {});

  /// Whether any condition is on this callback.
  bool listens(Callback callback) const {
    const auto i = static_cast<std::size_t>(callback);
    return i < at_.size() && !at_[i].empty();
  }

  /// False: certainly nothing fires. Costs one comparison for each condition on this callback.
  bool possible(Callback callback, const Position& now) const {
    const auto i = static_cast<std::size_t>(callback);
    if (i < at_.size())
      for (const auto entry : at_[i])
        if (entries_[entry].due.possible(now))
          return true;
    return false;
  }

  /// The firings at this moment, in the order in which the conditions were added. A schedule that
  /// is due while the row does not match is used up.
  std::vector<Firing> firings(Callback callback, const Position& now, const Records& row);

private:
  struct Entry {
    Due due;
    Condition condition;
    Predicate predicate;
    std::optional<Step> checked_at = {}; ///< the batch after which it was checked last
  };

  /// Advances the schedule. @returns how many of its times have come.
  static std::uint64_t times_of(Entry& entry, Callback callback, const Position& now);

  std::vector<Entry> entries_;
  std::array<std::vector<std::size_t>, callback_names.size()> at_; ///< indices of entries, in order
  bool coalesce_ = false;
};

} // namespace troupe
