// What a trainer's time goes to, as the status of its worker in the log says.
#pragma once

#include "base/core_use.hpp"
#include "base/records.hpp"

#include <map>
#include <optional>
#include <string>

namespace troupe {

/// Seconds in which training waited for a gate, and what the gate says it spent them on.
struct GateTime {
  double seconds = 0;
  std::map<std::string, double> parts; ///< "holder", "worker 3", ...; they need not add up
};

/// Since the trainer's process has started.
struct SpentTime {
  double seconds = 0; ///< that training has lasted
  double reading = 0, gradient = 0, update = 0;
  double held = 0; ///< paused, or quiesced with the other workers
  std::uint64_t batches = 0;
  std::map<std::string, GateTime> gates;     ///< by name
  std::map<std::string, std::uint64_t> lost; ///< copies of events, by observer
  CoreUse use;                               ///< of the process, with all workers in it

  /// Neither reading, training, held nor waiting: between batches.
  double between() const;
};

/// The parts of a gate that shares parameters, beside "worker <n>" for those that it waits for.
inline constexpr const char* network_part = "network";
inline constexpr const char* holder_part = "holder"; ///< the parameter holder computes
inline constexpr const char* limit_part = "limit";   ///< pushes_per_second
std::string part_of_worker(std::uint32_t worker);
/// Nothing for another part.
std::optional<std::uint32_t> worker_of_part(const std::string& part);

Records records_of(const SpentTime& spent);
/// Nothing if the status has no times.
std::optional<SpentTime> spent_time_in(const Records& status);

} // namespace troupe
