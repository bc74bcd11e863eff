#pragma once

#include "apps/process/batch_scheduling.hpp"
#include "apps/process/large_blocks.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace troupe::bench {

using Words = std::vector<std::string>;

/// The main function of a benchmark: run(words of the command line), in a process that is set up as
/// the program's. With fewer than `least` words, or where something is thrown, it says why and how
/// to call it.
/// @param usage the words, as in "MODEL BATCH [RUNS]"
/// @returns the exit code, 2 where it did not measure
template <class Run>
int run_benchmark(int argc, char** argv, const char* usage, std::size_t least, Run run) {
  schedule_as_batch();
  return_large_blocks();
  const Words words(argv + 1, argv + argc);
  try {
    if (words.size() >= least) {
      run(words);
      return 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
  }
  std::fprintf(stderr, "usage: %s %s\n", argv[0], usage);
  return 2;
}

} // namespace troupe::bench
