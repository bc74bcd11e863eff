#pragma once

#include "apps/process/batch_scheduling.hpp"
#include "apps/process/large_blocks.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace troupe::bench {

using Arguments = std::vector<std::string>;

/// The main function of a benchmark: calls run(arguments) in a process that is set up like the
/// program's. With fewer than `least` arguments, or after an exception, it prints the reason and
/// the usage.
/// @param usage the arguments, as in "MODEL BATCH [RUNS]"
/// @returns the exit code, 2 if nothing was measured
template <class Run>
int run_benchmark(int argc, char** argv, const char* usage, std::size_t least, Run run) {
  schedule_as_batch();
  return_large_blocks();
  const Arguments arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() >= least) {
      run(arguments);
      return 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
  }
  std::fprintf(stderr, "usage: %s %s\n", argv[0], usage);
  return 2;
}

} // namespace troupe::bench
