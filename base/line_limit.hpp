#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// At most one line a second of each kind, so that what strangers or a full disk repeat does not
/// fill the console; lines that are left out are counted and told later. Kinds are names of the
/// program, never what a stranger sends, so there are few of them.
class LineLimit {
public:
  using Time = std::chrono::steady_clock::time_point;

  /// A line that could be written.
  /// @returns the line, with the number of those left out before it; nothing where a line of its
  /// kind was written within the last second.
  std::optional<std::string> admit(const std::string& kind, const std::string& line, Time now);

  /// What was left out more than a second ago and is not told yet, a line for each kind: the
  /// newest of them and how many there were.
  std::vector<std::string> left_out(Time now);

  /// When `left_out` has the next line; nothing where all was told.
  std::optional<Time> next_line() const;

private:
  struct Kind {
    Time written;
    std::size_t left_out = 0;
    std::string newest; ///< of those left out
  };
  std::map<std::string, Kind> kinds_;
};

} // namespace troupe
