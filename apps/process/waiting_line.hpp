// Tells people for what the program waits where that takes longer than half a second.
#pragma once

#include "apps/process/progress_line.hpp"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace troupe {

/// From its making to its end: "reading penguins.csv, 3 s" on a terminal, redrawn each tenth of a
/// second; elsewhere one line after half a second and one each ten seconds.
class WaitingLine {
public:
  /// @param what is being done, like "reading penguins.csv"
  /// @param shown false: it says nothing
  WaitingLine(std::string what, bool shown);
  ~WaitingLine();
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

private:
  void tell();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  ProgressLine line_;
  std::thread thread_; ///< the last member: it uses the others
};

} // namespace troupe
