// One line on standard error that is redrawn in place on a terminal.
#pragma once

#include "actors/log/console.hpp"

#include <string>

namespace troupe {

class ProgressLine {
public:
  ProgressLine() = default;
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// False for a file and for a dumb terminal.
  bool redraws() const { return console_.terminal; }
  /// Replaces the previous text; on anything but a terminal it prints a new line.
  void show(const std::string& text);
  /// Erases the line, before other output.
  void clear();

private:
  ConsoleOptions console_ = console_of_this_process();
  bool shown_ = false;
};

} // namespace troupe
