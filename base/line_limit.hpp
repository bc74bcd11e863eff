#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Lets at most one line a second of each kind through, so that messages repeated by a stranger or
/// a full disk do not fill the console. Lines that are left out are counted and reported later.
/// Kinds are names from the program, never input from a stranger, so there are few of them.
class LineLimit {
public:
  using Time = std::chrono::steady_clock::time_point;

  /// Offers a line.
  /// @returns the line with the number of lines left out before it; nothing if a line of its
  ///          kind was written within the last second
  std::optional<std::string> admit(const std::string& kind, const std::string& line, Time now);

  /// The lines left out more than a second ago and not reported yet, one line for each kind: the
  /// newest of them and their number.
  std::vector<std::string> left_out(Time now);

  /// When `left_out` has its next line; nothing if all have been reported.
  std::optional<Time> next_line() const;

private:
  struct Kind {
    Time written;
    std::size_t left_out = 0;
    std::string newest; ///< of the lines left out
  };
  std::map<std::string, Kind> kinds_;
};

} // namespace troupe
