// A schedule: when something is due, as a value; a set of times on a timeline.
//
//   each(10) & ~at(20, 30)                       10, 40, 50, ...  batches
//   each(60).seconds() | at(1).epochs()          every minute, and after the first epoch
//   parse_schedule("each(60 seconds) | at(1 epochs)")             the same
//
// Times are positive: time 0 belongs to the start of training. When a loop advances from time t1 to
// t2, a schedule is due once if its set meets the half-open range (t1, t2], however many times lie
// in it; `Due` counts them. The operators are set operators, so a wide range (0, 25] meets
// `each(10) & ~at(20)` at 10.
//
// On batches, epochs and examples time is a whole number, and a complement contains every other
// whole number. On seconds, training_seconds and registered timelines time is real, and the
// complement of a discrete set meets every range that is not empty, which counts as 1. There, times
// closer than one part in 10^14 are equal: 0.3 is the third multiple of 0.1.
//
// Across timelines the operators combine facts, since batches and seconds have no times in common:
// `each(10) & each(60).seconds()` is due when both are due at the same boundary. Parts of one
// operator on the same timeline are first combined as sets. A set that contains all but some times
// is due when none of those has come, so `each(10) & ~each(60).seconds()` leaves out the boundaries
// at which a minute has passed. `~` of a mixed schedule is due when that one is not. A mixed
// schedule counts 1 when due.
//
// `always` is due at every boundary that is checked, `never` at none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

class Times;

/// See the top of this file. Default: never. Equal if the text forms are; different spellings of
/// one set are different.
class Schedule {
public:
  /// Of what sort the set of times is.
  enum class Kind : std::uint8_t {
    never,      ///< the empty set
    always,     ///< every boundary that is checked
    each,       ///< the multiples of a period
    at,         ///< some times
    all,        ///< the intersection of its parts
    any,        ///< the union of its parts
    complement, ///< all times but those of its one part
  };

  Schedule() = default;

  /// On batches, the default timeline. Throws as `Times::on`.
  Schedule(const Times& times);

  /// Of what sort the set is.
  Kind kind() const { return kind_; }
  const std::string& timeline() const { return timeline_; }     ///< of `each` and `at`
  double period() const { return numbers_.front(); }            ///< of `each`
  const std::vector<double>& times() const { return numbers_; } ///< of `at`: ascending, distinct
  const std::vector<Schedule>& parts() const { return parts_; } ///< of `all`, `any`, `complement`

  /// @throws std::invalid_argument if more than `most_periods` different periods would lie on one
  ///         timeline, or the operators nest deeper than `deepest`.
  friend Schedule operator&(const Schedule& a, const Schedule& b);
  friend Schedule operator|(const Schedule& a, const Schedule& b);
  friend Schedule operator~(const Schedule& a);

  bool operator==(const Schedule&) const = default;

  static constexpr std::size_t most_periods = 12; ///< counting takes 2^periods terms
  static constexpr int deepest = 100;             ///< nested operators

  /// Due at every boundary that is checked.
  static Schedule always();

  /// The conjunction or disjunction of any number of parts. Throws as `&` does.
  /// @param kind `all` or `any`
  static Schedule combine(Kind kind, std::vector<Schedule> parts);

private:
  friend class Times;

  Kind kind_ = Kind::never;
  std::string timeline_;
  std::vector<double> numbers_;
  std::vector<Schedule> parts_;
  int depth_ = 0;
};

/// Times without a timeline; the default is batches.
class Times {
public:
  /// On the count of batches.
  Schedule batches() const { return on("batches"); }
  /// On the count of epochs.
  Schedule epochs() const { return on("epochs"); }
  /// On the count of examples.
  Schedule examples() const { return on("examples"); }
  /// On the seconds since training started.
  Schedule seconds() const { return on("seconds"); }
  /// On the seconds inside steps.
  Schedule training_seconds() const { return on("training_seconds"); }

  /// On any timeline, also a registered one; whether it is registered is checked when training
  /// starts.
  /// @throws std::invalid_argument for a fraction on a timeline of counts, or a name that is no
  /// identifier.
  Schedule on(std::string_view timeline) const;

  bool operator==(const Times&) const = default;

private:
  friend Times each(double n);
  friend Times at(std::vector<double> times);
  Times(Schedule::Kind kind, std::vector<double> numbers);

  Schedule::Kind kind_;
  std::vector<double> numbers_;
};

// Declared here too, so that `Times` may stand on both sides.
/// Due when both are. Throws as within the class.
Schedule operator&(const Schedule& a, const Schedule& b);
/// Due when one of them is. Throws as `&` does.
Schedule operator|(const Schedule& a, const Schedule& b);
/// Due when `a` is not.
Schedule operator~(const Schedule& a);

/// All positive multiples of `n`. @throws std::invalid_argument unless n is positive and finite.
Times each(double n);

/// The given times; a repeated time counts once.
/// @throws std::invalid_argument unless there is one, and all are positive and finite.
Times at(std::vector<double> times);
/// The same, with the times as arguments.
template <class... N>
Times at(double first, N... more) {
  return at(std::vector<double>{first, static_cast<double>(more)...});
}

/// Due at every boundary that is checked.
inline Schedule always() { return Schedule::always(); }
/// Due at no boundary.
inline Schedule never() { return {}; }

/// The text form; `parse_schedule` reads it back as an equal schedule.
std::string to_string(const Schedule& schedule);

/// Reads "each(10 batches) & ~at(20, 30 batches)"; `~` binds closest, then `&`, then `|`. The
/// timeline may be omitted (batches) or singular ("1 epoch").
/// @param registered the user's timelines; {"*"} accepts every name, for text that was checked.
/// @throws std::invalid_argument with the column and what was expected there, and the nearest known
///         timeline for a misspelt one.
Schedule parse_schedule(std::string_view text, const std::vector<std::string>& registered = {});

/// The timelines that a schedule refers to, in the order of first mention.
std::vector<std::string> timelines_of(const Schedule& schedule);

} // namespace troupe
