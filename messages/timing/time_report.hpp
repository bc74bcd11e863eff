// How the time of a run was spent, as nested sections.
#pragma once

#include "messages/loop/loop.hpp"

#include <string>
#include <vector>

namespace troupe {

/// A section of time and its parts; unaccounted time becomes a part called "other".
struct TimeSection {
  std::string name;
  double seconds = 0;
  std::vector<TimeSection> parts;
};

/// The run of a trainer: initialization, reading data, steps, and each gate it waited for, by name.
/// The parts of a section add up to it.
TimeSection time_report(const Status& status);

/// One line for each section, indented by its depth: name, seconds, and the share of the whole in
/// percent.
std::string print_time_report(const TimeSection& report);

} // namespace troupe
