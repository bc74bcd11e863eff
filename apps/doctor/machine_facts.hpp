// What this machine and this process's limits are, read from the system.
#pragma once

#include "model/device/devices.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct ProcessorFacts {
  std::string name;               ///< as the system calls it; "": it does not tell
  std::size_t cores = 0;          ///< that this process may use
  std::optional<double> share;    ///< cores' worth of time that its container gets
  std::vector<std::string> units; ///< vector and matrix units that products know: "avx2"
};

/// Bytes.
struct MemoryFacts {
  std::uint64_t total = 0, available = 0;
  std::optional<std::uint64_t> container;     ///< the limit of the container
  std::optional<std::uint64_t> address_space; ///< ulimit -v
};

struct ProcessLimits {
  std::optional<std::uint64_t> threads; ///< ulimit -u; nothing: unlimited, as for root
  std::optional<std::uint64_t> files;   ///< ulimit -Hn
};

/// The folder in which runs would be made.
struct DiskFacts {
  std::filesystem::path path;
  std::uint64_t free = 0;      ///< bytes
  std::string refusal;         ///< why a file cannot be made there; "": it can
  bool locks = true;           ///< the file system has locks
  double seconds_to_write = 0; ///< of a small file, until it is on the disk
};

struct ClockFacts {
  std::chrono::system_clock::time_point now;
  std::optional<bool> synchronised; ///< nothing: the system does not tell
  /// When the program's file was written. An earlier clock is wrong.
  std::chrono::system_clock::time_point built;
};

struct NetworkFacts {
  std::string host;           ///< "": the machine has no name
  std::string lookup_refusal; ///< why the name has no address; "": it has
  std::string port_refusal;   ///< why no port on the loopback can be opened; "": it can
};

struct LocaleFacts {
  std::string name;  ///< of LC_ALL, LC_CTYPE or LANG
  bool there = true; ///< it is installed
  bool utf8 = true;
};

struct MachineFacts {
  std::string program;                ///< versions of the program and its libraries
  std::vector<std::string> variables; ///< names of the variables that change what Troupe does
  ProcessorFacts processor;
  MemoryFacts memory;
  ProcessLimits limits;
  DeviceList cards;
  DiskFacts disk;
  ClockFacts clock;
  NetworkFacts network;
  LocaleFacts locale;
};

/// Writes a file of a few bytes into the folder and removes it, and opens a port for a moment.
/// @param folder where runs would be made
MachineFacts facts_of_machine(const std::filesystem::path& folder);

/// The cores' worth of time that a cgroup's cpu.max gives, "200000 100000"; nothing if unlimited.
std::optional<double> cpu_share_in(const std::string& text);

} // namespace troupe
