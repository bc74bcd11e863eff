#include "apps/process/progress_line.hpp"

#include "actors/log/fitted_progress.hpp"

#include <iostream>
#include <utility>

namespace troupe {

void ProgressLine::show(const std::string& text) {
  const auto written = console_.utf8 ? text : in_ascii(text);
  if (!console_.terminal) {
    std::cerr << written + "\n" << std::flush;
    return;
  }
  const auto line = fitted_progress(written, width_of_window(console_.width) - 1);
  std::cerr << "\r\x1b[K" + (console_.color ? "\x1b[32m" + line + "\x1b[m" : line) << std::flush;
  shown_ = true;
}

void ProgressLine::clear() {
  if (std::exchange(shown_, false))
    std::cerr << "\r\x1b[K" << std::flush;
}

} // namespace troupe
