// One line on standard error that is redrawn where that is a terminal.
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

  /// False for a file, and a terminal that is dumb.
  bool redraws() const { return console_.terminal; }
  /// In place of the former text; where it is no terminal, as a line of its own.
  void show(const std::string& text);
  /// Makes room for what is said next.
  void clear();

private:
  ConsoleOptions console_ = console_of_this_process();
  bool shown_ = false;
};

} // namespace troupe
