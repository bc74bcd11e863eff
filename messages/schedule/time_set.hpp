// The part of a schedule that lies on one timeline, ready to be counted.
#pragma once

#include "messages/schedule/schedule.hpp"

namespace troupe {

/// Counts the times of a set within a range, in closed form, for ranges of any width and periods of
/// any length.
///
/// With periods n1, n2, ... the set without its `at` times is a Boolean function of "n1 divides t",
/// "n2 divides t" and so on. Inclusion and exclusion turn it into a sum over sets of periods:
/// weight times the multiples of their least common multiple. The finitely many `at` times then
/// correct the sum.
class TimeSet {
public:
  /// @param set each leaf on the same timeline, no `always`, no `never`.
  /// @param integer whether that timeline counts (batches) or is real (seconds).
  TimeSet(const Schedule& set, bool integer);

  /// Number of times in (after, until]; 0 for an empty range. A dense set (the complement of a
  /// discrete one on a real timeline) counts 1 in every other range.
  std::uint64_t count(double after, double until) const;

  /// No time of the set lies in (after, next(after)); infinite if no time is left. Only a lower
  /// bound, except that it is exact for a finite set.
  double next(double after) const;

private:
  struct Term {
    long double period; ///< whose multiples are counted
    long double weight;
    std::int64_t whole = 0; ///< the period, if it and all times are whole numbers; 0: they are not
  };
  struct Point {
    double time;
    int correction; ///< 1: in the set, though not by its periods; -1: the reverse; 0: periods are
                    ///< right
  };

  long double multiples_in(const Term& term, double after, double until) const;
  double bound(const Schedule& node, bool negated, double after) const;
  double reach(double time) const;

  Schedule set_;
  bool integer_;
  bool dense_ = false;
  std::vector<Term> terms_;
  std::vector<Point> points_;
};

} // namespace troupe
