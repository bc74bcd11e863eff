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

/// A user's function of the current row. It runs inside the training loop: quick, and without
/// exceptions.
using Predicate = std::function<bool(const Records& row, const Position& now)>;

/// Name -> function; each process registers its own, conditions carry the names.
using PredicateRegistry = std::map<std::string, Predicate>;

/// One call of an extension.
struct Firing {
  std::uint64_t times = 1; ///< how many times of the schedule lie between this moment and the last
  std::vector<std::string> arguments;
  FIELDS(times, arguments);
};

/// Conditions at work in a running loop:
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

  /// False: surely nothing fires. Costs a comparison per condition on this callback.
  bool possible(Callback callback, const Position& now) const {
    const auto i = static_cast<std::size_t>(callback);
    if (i < at_.size())
      for (const auto entry : at_[i])
        if (entries_[entry].due.possible(now))
          return true;
    return false;
  }

  /// What fires at this moment, in the order in which the conditions were added. A schedule that is
  /// due while the row says no has had its turn.
  std::vector<Firing> firings(Callback callback, const Position& now, const Records& row);

private:
  struct Entry {
    Due due;
    Condition condition;
    Predicate predicate;
    std::optional<Step> looked_at = {}; ///< the batch after which it was asked last
  };

  /// Moves the schedule on. @returns how many times of it have come.
  static std::uint64_t times_of(Entry& entry, Callback callback, const Position& now);

  std::vector<Entry> entries_;
  std::array<std::vector<std::size_t>, callback_names.size()> at_; ///< which entries, in order
  bool coalesce_ = false;
};

} // namespace troupe
