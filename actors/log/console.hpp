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
  bool shown = true;     ///< false: only `file` has the lines, from `level` up, and is made with
                         ///< the first of them
  bool terminal = false; ///< lines can be redrawn
  bool color = false;    ///< NO_COLOR, CLICOLOR_FORCE and TERM=dumb are the caller's to read
  bool utf8 = true;      ///< false: what is drawn is ASCII
  int width = 80;        ///< columns of the terminal
  Level level = Level::info; ///< lines below it are left out
  std::string file = {};     ///< also into this file, "" for none; every level but debug
  std::chrono::milliseconds patience{1000}; ///< of flush and the end with a reader who stands still
};

/// The columns of the window that standard error is; `otherwise` where it is none.
int width_of_window(int otherwise);

/// What is true of this process's standard error, and of its environment.
ConsoleOptions console_of_this_process();

/// Lines for people on standard error, with progress lines below them that are redrawn where
/// standard error is a terminal, and come as plain lines now and then where it is not.
///
/// Nobody waits for whoever reads them (Ctrl-S, a pager, a connection that hangs): a thread of its
/// own writes what waits on the Screen. The file has each line at once.
class Console {
public:
  /// @throws FileError where the file cannot be opened; one that is not shown is shown
  /// then.
  explicit Console(ConsoleOptions options);
  /// Takes progress away. What nobody reads within the patience may be lost.
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void say(const Say& say);
  /// @param now seconds on any monotonic clock: where it is no terminal, one line each 10 s is
  /// enough
  void show(const ShowProgress& progress, double now);
  /// Waits until all lines are written, but not for a reader who stands still: for that one once.
  /// @returns whether they are
  bool flush();

private:
  struct Shared;
  static void write_what_waits(const std::shared_ptr<Shared>& shared);
  template <class Change>
  void change(Change change);
  void open_file();
  void keep(const Say& what);

  ConsoleOptions options_;
  std::shared_ptr<spdlog::logger> file_;
  std::map<std::string, double> printed_; ///< name -> when its last plain line was printed
  std::shared_ptr<Shared> shared_;        ///< with the thread, which may outlive it
  std::thread thread_;
};

} // namespace troupe
