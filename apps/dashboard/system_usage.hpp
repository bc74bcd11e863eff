// The processors and the memory that a process of this machine uses.
#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace troupe {

struct ProcessUsage {
  double processor_seconds = 0;
  std::uint64_t memory_bytes = 0;
  std::size_t threads = 0;
};

/// From the texts of /proc/PID/stat; nothing for another text.
std::optional<ProcessUsage> usage_in_stat(const std::string& stat, double ticks_per_second,
                                          std::uint64_t page_bytes);

/// Remembers the last figures of each process, to give processors in use since then.
class SystemUsage {
public:
  /// Nothing if there is no such process. @param process 0: the machine alone
  std::optional<nlohmann::ordered_json> of(pid_t process);

private:
  struct Seen {
    double processor_seconds = 0;
    std::chrono::steady_clock::time_point at;
  };
  double processors_of(pid_t process, double processor_seconds);

  std::mutex mutex_;
  std::map<pid_t, Seen> seen_; ///< 0: the machine
};

} // namespace troupe
