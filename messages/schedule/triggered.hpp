#pragma once

#include "messages/schedule/condition.hpp"
#include "messages/schedule/due.hpp"

#include <cstdint>
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
  TROUPE_FIELDS(times, arguments);
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
  Triggered(Conditions conditions, const Position& start, const PredicateRegistry& predicates = {});

  /// What it evaluates.
  const Conditions& conditions() const { return conditions_; }

  /// Whether any condition is on this callback.
  bool listens(Callback callback) const { return (listened_ & bit(callback)) != 0; }

  /// False: certainly nothing fires. Costs one comparison for each condition on this callback.
  bool possible(Callback callback, const Position& now) const {
    if (listens(callback))
      for (const auto& entry : entries_)
        if ((entry.moments & bit(callback)) != 0 && entry.due.possible(now))
          return true;
    return false;
  }

  /// The firings at this moment, in the order in which the conditions were added. A schedule that
  /// is due while the row does not match is used up.
  std::vector<Firing> firings(Callback callback, const Position& now, const Records& row);

private:
  using Moments = std::uint16_t; ///< a bit for each callback
  static_assert(callback_names.size() <= 16);

  /// Of one condition.
  struct Entry {
    Due due;
    Moments moments = 0;
    Predicate predicate = {};
    std::optional<Step> checked_at = {}; ///< the batch after which it was checked last
  };

  /// None for a number that is no callback, as another build may send it.
  static Moments bit(Callback callback) {
    const auto number = static_cast<unsigned>(callback);
    return number < callback_names.size() ? static_cast<Moments>(1u << number) : Moments{0};
  }

  /// Advances the schedule. @returns how many of its times have come.
  static std::uint64_t times_of(Entry& entry, Callback callback, const Position& now);

  Conditions conditions_;
  std::vector<Entry> entries_; ///< in the same order
  Moments listened_ = 0;       ///< of all entries
};

} // namespace troupe
