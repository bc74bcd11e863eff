#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace troupe::bench {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// Prints one JSON line, in the format of the reference programs.
inline void report(const std::string& name, const std::string& unit, std::vector<double> runs) {
  const auto middle = median(runs);
  std::sort(runs.begin(), runs.end());
  std::printf(
    "{\"case\":\"%s\",\"unit\":\"%s\",\"median\":%.6g,\"min\":%.6g,\"max\":%.6g,\"runs\":%zu}\n",
    name.c_str(), unit.c_str(), middle, runs.front(), runs.back(), runs.size());
  std::fflush(stdout);
}

} // namespace troupe::bench
