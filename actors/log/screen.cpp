#include "actors/log/screen.hpp"

#include "actors/log/fitted_progress.hpp"
#include "base/text/wrapped_text.hpp"

#include <utility>

namespace troupe {

Screen::Screen(int width, std::string elsewhere, ScreenLook look)
  : width_(width),
    elsewhere_(std::move(elsewhere)),
    look_(look) {}

void Screen::add_line(std::string line) {
  if (lines_.size() < most_lines)
    lines_.push_back(std::move(line));
  else
    ++dropped_;
}

void Screen::set_progress(const std::string& name, std::string text) {
  if (text.empty())
    progress_.erase(name);
  else
    progress_[name] = std::move(text);
  changed_ = true;
}

void Screen::clear_progress() {
  changed_ = changed_ || !progress_.empty();
  progress_.clear();
}

std::string Screen::take() {
  std::string text;
  for (; drawn_ > 0; --drawn_)
    text += drawn_ == 1 ? "\r\x1b[2K" : "\r\x1b[2K\x1b[1A";
  for (const auto& line : std::exchange(lines_, {}))
    text
      += (width_ > 0 ? folded_between_parts(line, static_cast<std::size_t>(width_)) : line) + "\n";
  if (const auto dropped = std::exchange(dropped_, 0); dropped > 0)
    text += "(" + std::to_string(dropped) + " lines are left out here: they were not read in time"
            + (elsewhere_.empty() ? "" : "; " + elsewhere_ + " has them") + ")\n";
  for (const auto& [name, progress] : progress_) {
    const auto line = fitted_progress(look_.utf8 ? progress : in_ascii(progress), width_ - 1);
    text += (drawn_ == 0 ? "" : "\n") + (look_.color ? "\x1b[32m" + line + "\x1b[m" : line);
    ++drawn_;
  }
  changed_ = false;
  return text;
}

} // namespace troupe
