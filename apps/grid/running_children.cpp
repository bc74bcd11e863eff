#include "apps/grid/running_children.hpp"

#include <signal.h>

namespace troupe {

namespace {

/// @param heard the level of the last signal to it
void end_child(ChildProcess& child, int& heard, int level) {
  if (level <= heard)
    return;
  heard = level;
  child.signal(level >= 2 ? SIGTERM : SIGINT);
}

} // namespace

void RunningChildren::add(ChildProcess& child) {
  std::lock_guard lock{mutex_};
  end_child(child, children_[&child], level_);
}

void RunningChildren::remove(ChildProcess& child) {
  std::lock_guard lock{mutex_};
  children_.erase(&child);
}

bool RunningChildren::reap(ChildProcess& child) {
  std::lock_guard lock{mutex_};
  return child.reap();
}

void RunningChildren::stop(int level) {
  std::lock_guard lock{mutex_};
  level_ = level;
  for (auto& [child, heard] : children_)
    end_child(*child, heard, level);
}

void RunningChildren::stop_now(int level) {
  std::lock_guard lock{mutex_};
  for (auto& [child, heard] : children_)
    end_child(*child, heard, level);
}

} // namespace troupe
