// Limits that the system imposes on a process: threads, memory, file sizes and time.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace troupe {

/// The resources that a process is about to take at once.
struct ProcessNeeds {
  std::size_t threads = 0;
  std::uint64_t bytes = 0;
};

/// Acquires the resources and releases them again. An actor system that gets only some of its
/// threads can neither start nor end, so this is tried first.
/// @throws Failure(ExitCode::internal) that names the limits.
void check_resources(const ProcessNeeds& needs);

/// The sentence for an exception that means the system gives no more threads or memory; nothing for
/// any other exception.
std::optional<std::string> sentence_of_limit(const std::exception& error);

/// Sets up the whole program: threads share one arena if the address space is limited; a file that
/// reaches the size limit is refused, as on a full disk, instead of ending the process; the limit
/// of processor time or an uncaught exception ends the process with a sentence and
/// ExitCode::internal.
void install_limit_handlers();

} // namespace troupe
