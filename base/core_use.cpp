#include "base/core_use.hpp"

#include "base/allowed_cores.hpp"

#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace troupe {

namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

std::string first_line_of(const std::filesystem::path& path) {
  std::ifstream file{path};
  std::string line;
  std::getline(file, line);
  return line;
}

/// Of the threads that are still there.
double core_wait_of_threads() {
  auto waited = 0.0;
  std::error_code none;
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task", none})
    waited += core_wait_in(first_line_of(thread.path() / "schedstat"));
  return waited;
}

} // namespace

double core_wait_in(const std::string& schedstat) {
  std::istringstream fields{schedstat};
  std::uint64_t ran = 0, waited = 0; // nanoseconds
  return fields >> ran >> waited ? 1e-9 * static_cast<double>(waited) : 0;
}

CoreUse core_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), core_wait_of_threads(),
          static_cast<double>(count_allowed_cores())};
}

} // namespace troupe
