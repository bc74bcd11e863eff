// Evaluates a schedule in a running loop.
#pragma once

#include "messages/schedule/position.hpp"
#include "messages/schedule/schedule.hpp"
#include "messages/schedule/time_set.hpp"

namespace troupe {

/// Decides at each boundary between two steps whether a schedule is due:
///
///   if (due.possible(now))
///     times = due.advance(now);
///
/// The ranges that `advance` evaluates follow one another without gap or overlap, even if
/// `possible` skips boundaries. A schedule on several timelines is evaluated at boundaries (see
/// schedule.hpp): its answers are the same with `possible` as without.
class Due {
public:
  /// Never due.
  Due() = default;

  /// @param start where the loop begins or resumes; earlier times are never due.
  /// @throws std::invalid_argument for a timeline that `start` does not know.
  Due(const Schedule& schedule, const Position& start);

  /// False: certainly not due at `now`. Costs one comparison for each timeline of the schedule, and
  /// a lookup by name for a registered timeline.
  bool possible(const Position& now) const {
    for (const auto& watch : watches_)
      if (watch.time(now) >= watch.next)
        return true;
    return idle_due_;
  }

  /// Advances to `now`.
  /// @returns the number of times between the last call (at first, `start`) and `now`; 0: not due.
  ///          1 for a schedule on several timelines, and for `always`. A timeline that went back
  ///          has to catch up: no time fires twice.
  std::uint64_t advance(const Position& now);

  /// Evaluates again at the boundary of the last `advance`, after the epoch has ended since: what
  /// was due there still is. @returns 0 if the whole schedule was due already.
  std::uint64_t recheck(const Position& now);

  /// Whether the schedule can never be due again.
  bool exhausted() const { return !alive(root_, false); }

private:
  /// The parts of a schedule on one timeline.
  struct Watch {
    double next = 0; ///< no time of the set lies between `last` and this
    Timeline timeline = Timeline::custom;
    double last = 0;
    std::string name;
    TimeSet times;
    std::uint64_t fired = 0; ///< at the boundary being evaluated

    double time(const Position& now) const {
      return timeline != Timeline::custom ? time_on(now, timeline) : registered_time(now);
    }
    double registered_time(const Position& now) const;
  };

  /// A Boolean function of the watches that fired. `kind` at: the watch with index `watch`.
  struct Fact {
    Schedule::Kind kind = Schedule::Kind::never;
    std::size_t watch = 0;
    std::vector<Fact> parts;
  };

  Fact compile(const Schedule& schedule, const Position& start);
  Fact watch(const Schedule& set, const Position& start);
  void move(const Position& now); ///< adds to what the watches have fired
  bool true_of(const Fact& fact) const;
  bool alive(const Fact& fact, bool negated) const;

  std::vector<Watch> watches_;
  Fact root_;
  bool idle_due_ = false; ///< due even if no watch fired
};

} // namespace troupe
