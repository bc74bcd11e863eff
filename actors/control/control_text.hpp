// What remote control shows people.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/loop.hpp"

namespace troupe {

/// "worker 0: paused after batch 12 ...", and a line for each extension.
std::vector<std::string> status_lines(const Status& status);

/// The first of these lines.
std::string status_line(const Status& status);

/// The same as one line of JSON.
std::string status_json(const Status& status);

/// A row of the log as one line of JSON.
std::string row_json(const Row& row);

/// Whether the trainer stands still until somebody tells it to go on.
bool at_rest(const Status& status);

} // namespace troupe
