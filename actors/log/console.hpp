#pragma once

#include "messages/log/log.hpp"

#include <spdlog/logger.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>

namespace troupe {

struct ConsoleOptions {
  bool shown = true; ///< false: only `file` gets the lines, from `level` up, and is created with
                     ///< the first one
  bool terminal = false;     ///< lines can be redrawn
  bool color = false;        ///< the caller evaluates NO_COLOR, CLICOLOR_FORCE and TERM=dumb
  bool utf8 = true;          ///< false: bars are drawn in ASCII
  int width = 80;            ///< columns of the terminal
  Level level = Level::info; ///< lines below it are left out
  std::string file = {};     ///< also gets the lines, every level but debug; "": none
  std::chrono::milliseconds patience{1000}; ///< how long flush and the end wait for a stalled
                                            ///< reader
};

/// Columns of the window on standard error; `otherwise` if there is none.
int width_of_window(int otherwise);

/// Options that fit this process's standard error and environment.
ConsoleOptions console_of_this_process();

/// Lines on standard error. Progress lines below them are redrawn on a terminal, and
/// otherwise printed as plain lines at intervals.
///
/// A stalled reader (Ctrl-S, a pager, a connection that hangs) blocks no caller: a thread of its
/// own writes what the Screen holds. The file gets each line at once.
class Console {
public:
  /// @throws IoError if the file cannot be opened; a console that is not shown is shown instead.
  explicit Console(ConsoleOptions options);
  /// Removes the progress lines. Text that is not read within the patience may be lost.
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void say(const Say& say);
  /// @param now seconds on any monotonic clock: without a terminal, one line each 10 s is enough
  void show(const ShowProgress& progress, double now);
  /// Waits until all lines are written, but only once for a stalled reader.
  /// @returns whether they are written
  bool flush();

private:
  struct Shared;
  static void write_pending(const std::shared_ptr<Shared>& shared);
  template <class Change>
  void change(Change change);
  void open_file();
  void keep(const Say& what);

  ConsoleOptions options_;
  std::shared_ptr<spdlog::logger> file_;
  std::map<std::string, double> printed_; ///< name -> time of its last plain line
  std::shared_ptr<Shared> shared_;        ///< shared with the thread, which may outlive the console
  std::thread thread_;
};

} // namespace troupe
