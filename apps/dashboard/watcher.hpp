// Follows the folders of runs, in a thread of its own, and publishes what changes.
#pragma once

#include "apps/dashboard/event_hub.hpp"
#include "apps/dashboard/run_table.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace troupe {

class Watcher {
public:
  Watcher(RunTable& table, EventHub& hub);
  ~Watcher(); ///< ends its thread
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

private:
  /// How far the rows of a watched run were published.
  struct Published {
    std::uint64_t next = 0, restarts = 0;
  };

  void run();
  void poll(bool everywhere);
  void publish(const TableChanges& changes);
  void publish_rows(const std::string& run);
  bool ended_within(std::chrono::milliseconds time);

  RunTable& table_;
  EventHub& hub_;
  std::map<std::string, Published> published_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool ends_ = false;
  std::thread thread_;
};

} // namespace troupe
