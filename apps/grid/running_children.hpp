#pragma once

#include "apps/process/child_process.hpp"

#include <map>
#include <mutex>

namespace troupe {

/// The processes of a grid's runs, to send them signals. Thread-safe.
class RunningChildren {
public:
  void add(ChildProcess& child);
  void remove(ChildProcess& child);
  /// ChildProcess::reap(), never while sending a signal: afterwards the process id may belong to
  /// another process.
  bool reap(ChildProcess& child);
  /// Ends the current and later processes after their epoch (level 1) or batch (2). Each gets one
  /// signal per level: another one would end it sooner.
  void stop(int level);
  /// Ends only the current processes.
  void stop_now(int level);

private:
  std::mutex mutex_;
  std::map<ChildProcess*, int> children_; ///< and the level of the last signal to each
  int level_ = 0;
};

} // namespace troupe
