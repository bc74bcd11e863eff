#pragma once

#include "troupe/messages/log.hpp"

#include <spdlog/logger.h>

#include <map>
#include <memory>
#include <string>

namespace troupe {

struct ConsoleOptions {
  bool shown = true;     ///< false: only `file` has the lines, from `level` up, and is made with
                         ///< the first of them
  bool terminal = false; ///< lines can be redrawn
  bool color = false;    ///< NO_COLOR, CLICOLOR_FORCE and TERM=dumb are the caller's to read
  int width = 80;        ///< columns of the terminal
  Level level = Level::info; ///< lines below it are left out
  std::string file = {};     ///< also into this file, "" for none; every level but debug
};

/// What is true of this process's standard error, and of its environment.
ConsoleOptions console_of_this_process();

/// Lines for people on standard error, by spdlog, with progress lines below them that are redrawn
/// where standard error is a terminal, and come as plain lines now and then where it is not.
class Console {
public:
  /// @throws spdlog::spdlog_ex where the file cannot be opened; one that is not shown is shown
  /// then.
  explicit Console(ConsoleOptions options);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void say(const Say& say);
  /// @param now seconds on any monotonic clock: where it is no terminal, one line each 10 s is
  /// enough
  void show(const ShowProgress& progress, double now);
  void flush();

private:
  void open_file();
  void keep(const Say& what);
  void erase();
  void draw();

  ConsoleOptions options_;
  std::shared_ptr<spdlog::logger> lines_;
  std::shared_ptr<spdlog::logger> file_;
  std::map<std::string, std::string> progress_; ///< name -> text
  std::map<std::string, double> printed_;       ///< name -> when its last plain line was printed
  std::size_t drawn_ = 0;                       ///< lines of progress on the screen
};

} // namespace troupe
