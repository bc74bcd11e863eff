// Conditions at which training pauses: "loss is nan", "gradient_norm > 10".
#pragma once

#include "base/records.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// A comparison of a named value with a number.
struct Breakpoint {
  enum class Test : std::uint8_t {
    less,
    at_most,
    more,
    at_least,
    equal,
    unequal,
    nan,
    infinite,
    not_finite,
  };

  std::string name; ///< of `batch_values`, or of a record
  Test test = Test::nan;
  double bound = 0; ///< of the comparisons with a number
  std::string text; ///< "gradient_norm > 10"

  bool holds(double value) const;
};

/// Parses "NAME < NUMBER" (also <=, >, >=, ==, !=) or "NAME is nan" (also infinite, not finite).
/// @throws std::invalid_argument with the cure
Breakpoint parse_breakpoint(std::string_view text);

/// What each batch has without any extension: loss, learning_rate, batch, epoch, seconds.
const std::vector<std::string>& batch_values();

/// The breakpoints of a run, by number.
class Breakpoints {
public:
  struct Hit {
    std::uint64_t number = 0;
    std::string text;
    double value = 0;
  };

  /// @returns its number, from 1; numbers are not used again
  std::uint64_t add(Breakpoint breakpoint, const std::string& by);
  /// @returns false if there is none of that number
  bool remove(std::uint64_t number) { return all_.erase(number) > 0; }
  void clear() { all_.clear(); }
  bool empty() const { return all_.empty(); }
  /// Whether one of them looks at a record.
  bool need_records() const;
  /// "breakpoint 1: loss is nan, set by ann@n1"
  std::vector<std::string> lines() const;

  /// The first that is met by these values of the state after a batch. At one batch of a worker
  /// each is met at most once, however often it is asked.
  std::optional<Hit> met(const Records& values, std::size_t trainer, std::uint64_t batch);

private:
  struct Set {
    Breakpoint breakpoint;
    std::string by;
    std::map<std::size_t, std::uint64_t> last; ///< the last batch that met it, by trainer
  };
  std::map<std::uint64_t, Set> all_;
  std::uint64_t made_ = 0;
};

} // namespace troupe
