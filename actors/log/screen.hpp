#pragma once

#include <map>
#include <string>
#include <vector>

namespace troupe {

struct ScreenLook {
  bool color = false; ///< progress is green
  bool utf8 = true;   ///< false: bars are drawn in ASCII
};

/// The text to show on a terminal: lines, and below them progress that is redrawn. It is taken as
/// fast as the reader reads; meanwhile a limited number of lines is kept, and the newest progress.
class Screen {
public:
  static constexpr std::size_t most_lines = 1000; ///< that are kept; later ones are dropped

  /// @param width columns of the window: rows are folded and progress is fitted to it; 0: no window
  /// @param elsewhere a file that also has the lines; "": none
  explicit Screen(int width, std::string elsewhere = "", ScreenLook look = {});

  /// The window has a new width from now on.
  void set_width(int width) { width_ = width; }

  void add_line(std::string line);
  /// @param text "": remove this one
  void set_progress(const std::string& name, std::string text);
  void clear_progress();

  bool pending() const { return changed_ || !lines_.empty(); }
  /// All pending text, as bytes for the terminal: the lines, how many were dropped after them, and
  /// the progress, which replaces the one taken last.
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
