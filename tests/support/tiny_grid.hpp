// A grid of two runs of a few milliseconds each.
#pragma once

#include "tests/support/program.hpp"

#include <string>

namespace troupe::test {

inline const std::string tiny_grid
  = "tasks: [{overwrite: {model: {hidden: []}}}, {overwrite: {model: {hidden: [8]}}}]\n"
    "grid_overwrite: {problem: {train: 200, validation: 50, test: 50}, training: {epochs: 2}}\n"
    "seed: 3\n";

/// Writes it to tiny.yaml. @param more lines of the file
inline void write_grid(const WorkFolder& work, const std::string& more) {
  std::ofstream(work.path() / "tiny.yaml") << tiny_grid << more;
}

inline std::size_t lines_with(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    count += line.find(word) != std::string::npos ? 1 : 0;
  return count;
}

} // namespace troupe::test
