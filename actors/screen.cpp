#include "troupe/actors/screen.hpp"

#include <utility>

namespace troupe {

namespace {

/// Cuts after `width` columns; bytes inside escape sequences and UTF-8 continuation bytes take
/// none.
std::string cut(const std::string& text, int width) {
  std::string result;
  int columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm')
        result += text[i++];
      if (i < text.size())
        result += text[i];
      continue;
    }
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 && ++columns > width)
      break;
    result += text[i];
  }
  return result;
}

} // namespace

Screen::Screen(int width, std::string elsewhere)
  : width_(width),
    elsewhere_(std::move(elsewhere)) {}

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
    text += line + "\n";
  if (const auto dropped = std::exchange(dropped_, 0); dropped > 0)
    text += "(" + std::to_string(dropped) + " lines are left out here: nobody read them in time"
            + (elsewhere_.empty() ? "" : "; " + elsewhere_ + " has them") + ")\n";
  for (const auto& [name, progress] : progress_) {
    text += (drawn_ == 0 ? "" : "\n") + cut(progress, width_ - 1);
    ++drawn_;
  }
  changed_ = false;
  return text;
}

} // namespace troupe
