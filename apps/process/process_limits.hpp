// The limits that the system sets to a process: of threads, memory, files and time.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace troupe {

/// What is about to be asked of the system, all at once.
struct ProcessNeeds {
  std::size_t threads = 0;
  std::uint64_t bytes = 0;
};

/// Tries whether the system gives so much, and gives it back. An actor system that gets only some
/// of its threads can neither start nor end, so it is tried before.
/// @throws Failure(ExitCode::internal) that names the limits.
void check_room(const ProcessNeeds& needs);

/// The sentence for an exception that says that the system gives no more threads or memory; nothing
/// for any other.
std::optional<std::string> sentence_of_limit(const std::exception& error);

/// For the whole program: threads share what address space a limit leaves; a file that reaches the
/// limit of sizes is refused, as one on a full disk, instead of ending the process; and the limit
/// of processor time, or an exception that nothing catches ends the process with a sentence and
/// ExitCode::internal.
void meet_limits();

} // namespace troupe
