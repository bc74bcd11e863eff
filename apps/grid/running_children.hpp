#pragma once

#include "apps/process/child_process.hpp"

#include <map>
#include <mutex>

namespace troupe {

/// The processes of a grid's runs, for whoever has to tell them something. May be called by several
/// threads.
class RunningChildren {
public:
  void add(ChildProcess& child);
  void remove(ChildProcess& child);
  /// ChildProcess::reap(), at no moment of a signal: its number may be another process's then.
  bool reap(ChildProcess& child);
  /// Ends them after their epoch (level 1) or batch (2): those of now, and those that are added
  /// later. Each hears of a level once: another signal would end it sooner.
  void stop(int level);
  /// Only those of now.
  void stop_now(int level);

private:
  std::mutex mutex_;
  std::map<ChildProcess*, int> children_; ///< and the level that each has heard of
  int level_ = 0;
};

} // namespace troupe
