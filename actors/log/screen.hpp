#pragma once

#include <map>
#include <string>
#include <vector>

namespace troupe {

struct ScreenLook {
  bool color = false; ///< progress is green
  bool utf8 = true;   ///< false: bars are drawn in ASCII
};

/// What a terminal is to show: lines, and below them progress that is redrawn. It is taken as fast
/// as somebody reads; meanwhile a limited number of lines waits, and of progress the newest.
class Screen {
public:
  static constexpr std::size_t most_lines = 1000; ///< that wait; those that follow are dropped

  /// @param width columns that progress has to do with
  /// @param elsewhere the file that has the lines, too; "" for none
  explicit Screen(int width, std::string elsewhere = "", ScreenLook look = {});

  /// The window has another width from now on.
  void set_width(int width) { width_ = width; }

  void add_line(std::string line);
  /// @param text "" to show this one no more
  void set_progress(const std::string& name, std::string text);
  void clear_progress();

  bool waits() const { return changed_ || !lines_.empty(); }
  /// All that waits, as bytes for the terminal: the lines, how many were dropped behind them, and
  /// the progress in place of that which was taken last.
  std::string take();

private:
  int width_;
  std::string elsewhere_;
  ScreenLook look_;
  std::vector<std::string> lines_;
  std::size_t dropped_ = 0;                     ///< lines
  std::map<std::string, std::string> progress_; ///< name -> text
  bool changed_ = false;                        ///< the progress, since it was taken
  std::size_t drawn_ = 0;                       ///< lines of progress on the terminal
};

} // namespace troupe
