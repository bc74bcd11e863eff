// Shows what the program waits for when that takes longer than half a second.
#pragma once

#include "apps/process/progress_line.hpp"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace troupe {

/// From its construction to its destruction: on a terminal "reading penguins.csv, 3 s", redrawn
/// every tenth of a second; elsewhere one line after half a second and then one every ten seconds.
class WaitingLine {
public:
  /// @param what is being done, such as "reading penguins.csv"
  /// @param shown false: it prints nothing
  WaitingLine(std::string what, bool shown);
  ~WaitingLine();
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

private:
  void report();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  ProgressLine line_;
  std::thread thread_; ///< the last member: it uses the others
};

} // namespace troupe
