// Where the time of a run went, as nested sections.
#pragma once

#include "messages/loop/loop.hpp"

#include <string>
#include <vector>

namespace troupe {

/// A stretch of time and its parts; what no part accounts for is a part called "other".
struct TimeSection {
  std::string name;
  double seconds = 0;
  std::vector<TimeSection> parts;
};

/// The run of a trainer: initialization, reading data, steps, and the gates it waited for, each by
/// name. The parts of a section sum up to it.
TimeSection time_report(const Status& status);

/// One line per section, indented by its depth: name, seconds, and the share of the whole in
/// percent.
std::string print_time_report(const TimeSection& report);

} // namespace troupe
