#pragma once

#include "base/types.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace troupe {

/// A span, a point, a value or an end of an arrow of a trace, in microseconds since 1970.
struct TraceEvent {
  char phase = 'i'; ///< X: a span, i: a point, C: values, s: an arrow begins, f: it ends
  std::string name;
  double begin = 0, length = 0;
  std::uint32_t thread = 0;
  std::map<std::string, double> values = {}; ///< of C
  std::string text = {};                     ///< of i
  std::uint64_t arrow = 0;                   ///< of s and f
};

/// Threads of a worker in the trace: its epochs, its saver, whose spans overlap with them, and its
/// steps.
constexpr std::uint32_t training_thread(WorkerId worker) { return 3 * worker + 1; }
constexpr std::uint32_t saver_thread(WorkerId worker) { return 3 * worker + 2; }
constexpr std::uint32_t steps_thread(WorkerId worker) { return 3 * worker + 3; }
std::string name_of_thread(std::uint32_t thread);
/// The holder's thread for a worker has the number of the worker's steps.
std::string name_of_pushes(std::uint32_t thread);

} // namespace troupe
