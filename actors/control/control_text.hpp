// The texts of remote control's answers.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/loop.hpp"

namespace troupe {

/// "worker 0: paused after batch 12 ...", and a line for each extension.
std::vector<std::string> status_lines(const Status& status);

/// The first of those lines.
std::string status_line(const Status& status);

/// The status as one line of JSON.
std::string status_json(const Status& status);

/// A row of the log as one line of JSON.
std::string row_json(const Row& row);

/// Whether the trainer is paused, or has ended.
bool is_resting(const Status& status);

} // namespace troupe
