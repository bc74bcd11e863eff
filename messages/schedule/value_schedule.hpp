// A number that changes during training: for instance a learning rate that warms up and decays.
//
// With n the time, T the `duration`, s the value at the start and t = min(n, T):
//
//   constant      s
//   step          s factor^floor(n / every)
//   exponential   s gamma^n
//   multistep     s factor^m                               m: number of milestones <= n
//   linear        from + (to - from) t / T
//   polynomial    to + (from - to) (1 - t / T)^power
//   cosine        to + (from - to) (1 + cos(pi t / T)) / 2
//   plateau       s factor^k, at least `minimum`           k: see Plateau
//
// A warm-up of length W before any of them goes linearly from warm_up.factor v to v, the schedule's
// value at its time 0; the schedule's time begins at W.
#pragma once

#include "base/fields.hpp"
#include "base/text/enum_names.hpp"
#include "messages/schedule/choose.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The curves above.
enum class ValueCurve : std::uint8_t {
  constant,    ///< s
  step,        ///< a factor every so often
  exponential, ///< a factor at each unit of time
  multistep,   ///< a factor at each milestone
  linear,      ///< a straight line
  polynomial,  ///< a power of the time that is left
  cosine,      ///< half a wave
  plateau,     ///< a factor when a record no longer improves
};
/// How configurations write the values.
constexpr auto enum_names(ValueCurve) {
  return name_list("constant", "step", "exponential", "multistep", "linear", "polynomial", "cosine",
                   "plateau");
}

/// A linear beginning of any curve.
struct WarmUpOptions {
  double duration = 0; ///< of the warm-up, in units of the timeline; 0: none
  double factor = 0;   ///< of the schedule's first value, at time 0
  TROUPE_FIELDS(duration, factor);
};

/// Options that a curve does not use are ignored. Times are in units of the timeline.
struct ValueScheduleOptions {
  ValueCurve name = ValueCurve::constant; ///< which curve
  double factor = 0.1;                    ///< of step, multistep and plateau
  double every = 1;                       ///< of step, > 0
  double gamma = 0.99;                    ///< of exponential
  std::vector<double> milestones = {};    ///< of multistep, ascending
  double duration = 0;                    ///< of linear, polynomial and cosine, > 0
  /// Of linear, polynomial and cosine; nan: the value at the start.
  double from = std::numeric_limits<double>::quiet_NaN();
  double to = 0;                   ///< of linear, polynomial and cosine
  double power = 1;                ///< of polynomial, > 0
  double minimum = 0;              ///< of plateau
  std::string record = {};         ///< of plateau: what has to improve
  std::int64_t patience = 10;      ///< of plateau: calls without improvement that are tolerated
  Choose choose = Choose::by_name; ///< of plateau: which is better
  WarmUpOptions warm_up = {};      ///< comes before the curve
  TROUPE_FIELDS(name, factor, every, gamma, milestones, duration, from, to, power, minimum, record,
                patience, choose, warm_up);
};

/// A value as a function of time.
class ValueSchedule {
public:
  ValueSchedule() = default;
  /// @throws std::invalid_argument for invalid options, with the option and its value.
  explicit ValueSchedule(ValueScheduleOptions options);

  /// The value at time `n`.
  /// @param n >= 0
  /// @param start the value before the schedule changed it
  /// @param drops number of plateaus so far; only for that curve
  double at(double n, double start, std::uint64_t drops = 0) const;

  /// As it was made with, defaults included.
  const ValueScheduleOptions& options() const { return options_; }

private:
  double curve(double n, double start, std::uint64_t drops) const;

  ValueScheduleOptions options_;
};

/// Detects that a record no longer improves: after `patience` calls in a row without a strictly
/// better one, the next such call is a drop, and counting restarts. The best is kept. NaN is never
/// better.
class Plateau {
public:
  /// @pre choose is min or max
  explicit Plateau(std::int64_t patience = 10, Choose choose = Choose::min)
    : patience_(patience),
      choose_(choose) {}

  /// @returns whether this is a drop.
  bool update(double record);

  /// How many there were.
  std::uint64_t drops() const { return seen_.drops; }

  /// What a saved run keeps.
  struct Seen {
    bool any = false;        ///< whether there is a best
    double best = 0;         ///< the best record so far
    std::int64_t waited = 0; ///< calls in a row without improvement
    std::uint64_t drops = 0; ///< that there were
    TROUPE_FIELDS(any, best, waited, drops);
  };
  /// For a saved run.
  const Seen& seen() const { return seen_; }
  /// Continues from a saved state.
  void restore(const Seen& seen) { seen_ = seen; }

private:
  std::int64_t patience_;
  Choose choose_;
  Seen seen_;
};

} // namespace troupe
