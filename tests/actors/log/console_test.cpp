#include "actors/log/console.hpp"
#include "actors/log/screen.hpp"
#include "tests/support/captured_errors.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// The final content of a terminal: interprets the escapes for "erase this line" and "one line up".
std::vector<std::string> screen(const std::string& bytes) {
  std::vector<std::string> lines{""};
  std::size_t line = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes.compare(i, 4, "\x1b[2K") == 0) {
      lines[line].clear();
      i += 3;
    } else if (bytes.compare(i, 4, "\x1b[1A") == 0) {
      --line;
      i += 3;
    } else if (bytes[i] == '\n') {
      if (++line == lines.size())
        lines.emplace_back();
    } else if (bytes[i] != '\r') {
      lines[line] += bytes[i];
    }
  }
  while (!lines.empty() && lines.back().empty())
    lines.pop_back();
  return lines;
}

/// While it lives, standard error is a pipe that is not read before the test does.
class UnreadErrors {
public:
  UnreadErrors() {
    std::fflush(stderr);
    before_ = ::dup(STDERR_FILENO);
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
    reading_ = ends[0];
  }
  ~UnreadErrors() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    ::close(reading_);
  }
  UnreadErrors(const UnreadErrors&) = delete;
  UnreadErrors& operator=(const UnreadErrors&) = delete;

  /// Reads until this text has arrived. @returns everything that has arrived so far
  const std::string& read_until(const std::string& words) {
    std::array<char, 4096> piece{};
    while (read_.find(words) == std::string::npos) {
      const auto count = ::read(reading_, piece.data(), piece.size());
      REQUIRE(count > 0);
      read_.append(piece.data(), static_cast<std::size_t>(count));
    }
    return read_;
  }

private:
  int before_ = -1, reading_ = -1;
  std::string read_;
};

/// More than fits into a pipe.
const std::string long_line(std::size_t{1} << 21, 'x');

} // namespace

TEST_CASE("information is printed as it is, other lines with their level", "[console]") {
  CapturedErrors errors;
  Console console{{}};
  console.say({Level::info, "training begins"});
  console.say({Level::warning, "slow disk"});
  console.say({Level::error, "no disk"});
  console.flush();
  CHECK(errors.lines()
        == std::vector<std::string>{"training begins", "warning: slow disk", "error: no disk"});
}

TEST_CASE("lines below the level are left out", "[console]") {
  CapturedErrors errors;
  Console console{{.level = Level::warning}};
  console.say({Level::debug, "a"});
  console.say({Level::info, "b"});
  console.say({Level::warning, "c"});
  console.show({"p", "progress"}, 0);
  console.show({"p", "progress"}, 100);
  console.flush();
  CHECK(errors.lines() == std::vector<std::string>{"warning: c"});
}

TEST_CASE("without a terminal, progress is one plain line each 10 seconds", "[console][B32]") {
  CapturedErrors errors;
  Console console{{.terminal = false}};
  for (auto second = 0; second <= 35; ++second)
    console.show({"worker 0", "batch " + std::to_string(second)}, second);
  console.flush();
  CHECK(errors.lines() == std::vector<std::string>{"batch 10", "batch 20", "batch 30"});
  CHECK_THAT(errors.text(), !Contains("\x1b"));
}

TEST_CASE("each name has its own progress lines", "[console][B32]") {
  CapturedErrors errors;
  Console console{{.terminal = false}};
  console.show({"a", "a1"}, 0);
  console.show({"b", "b1"}, 5);
  console.show({"a", "a2"}, 11);
  console.show({"b", "b2"}, 11);
  console.show({"b", "b3"}, 16);
  console.flush();
  CHECK(errors.lines() == std::vector<std::string>{"a2", "b3"});
}

TEST_CASE("on a terminal progress stays below the lines", "[console][B32]") {
  CapturedErrors errors;
  Console console{{.terminal = true}};
  console.show({"a", "a 10 %"}, 0);
  console.show({"b", "b 10 %"}, 0);
  console.say({Level::info, "epoch 1 is done"});
  console.show({"a", "a 20 %"}, 0.1);
  console.flush();
  CHECK(screen(errors.text()) == std::vector<std::string>{"epoch 1 is done", "a 20 %", "b 10 %"});
  console.show({"a", ""}, 0.2);
  console.flush();
  CHECK(screen(errors.text()) == std::vector<std::string>{"epoch 1 is done", "b 10 %"});
}

TEST_CASE("a console leaves no progress behind", "[console][B32]") {
  CapturedErrors errors;
  {
    Console console{{.terminal = true}};
    console.say({Level::info, "a line"});
    console.show({"a", "50 %"}, 0);
  }
  CHECK(screen(errors.text()) == std::vector<std::string>{"a line"});
}

TEST_CASE("progress is cut at the width of the terminal, counting characters", "[console][B32]") {
  CapturedErrors errors;
  Console console{{.terminal = true, .width = 6}};
  console.show({"a", "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588"}, 0);
  console.flush();
  CHECK(screen(errors.text()) == std::vector<std::string>{"\u2588\u2588\u2588\u2588\u2588"});
}

TEST_CASE("colours are only used on request", "[console]") {
  CapturedErrors errors;
  Console plain{{.color = false}};
  plain.say({Level::warning, "a"});
  plain.flush();
  CHECK_THAT(errors.text(), !Contains("\x1b["));
  Console colorful{{.color = true}};
  colorful.say({Level::warning, "b"});
  colorful.flush();
  CHECK_THAT(errors.text(), Contains("\x1b["));
}

TEST_CASE("the console's file has each line with its time and level", "[console]") {
  CapturedErrors errors;
  DataFolder folder;
  const auto path = folder.path("run.log");
  Console console{{.file = path}};
  console.say({Level::warning, "slow disk"});
  console.show({"a", "50 %"}, 0);
  const auto lines = lines_of(text_of_file(path));
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines.front(), Catch::Matches("[0-9-]{10}T[0-9:.]{12}[+-][0-9:]+ warning slow disk"));
}

TEST_CASE("the file of a console that is not shown is created with its first warning",
          "[console][M48]") {
  CapturedErrors errors;
  DataFolder folder;
  const auto path = folder.path("console.log");
  Console console{{.shown = false, .terminal = true, .level = Level::warning, .file = path}};
  console.say({Level::info, "training begins"});
  console.show({"a", "50 %"}, 0);
  console.flush();
  CHECK_FALSE(std::filesystem::exists(path));
  console.say({Level::warning, "slow disk"});
  console.say({Level::error, "no disk"});
  const auto lines = lines_of(text_of_file(path));
  REQUIRE(lines.size() == 2);
  CHECK_THAT(lines.front(), Catch::EndsWith(" warning slow disk"));
  CHECK_THAT(lines.back(), Catch::EndsWith(" error no disk"));
  CHECK(errors.text().empty());
}

TEST_CASE("a warning that no file can take is shown rather than lost", "[console]") {
  CapturedErrors errors;
  DataFolder folder;
  const auto path = folder.write("no_folder", "") + "/console.log";
  Console console{{.shown = false, .level = Level::warning, .file = path}};
  console.say({Level::warning, "slow disk"});
  console.say({Level::info, "training begins"});
  console.flush();
  CHECK(errors.lines() == std::vector<std::string>{"warning: slow disk"});
}

TEST_CASE("a file that cannot be opened is an error at once", "[console]") {
  DataFolder folder;
  const auto path = folder.write("no_folder", "") + "/run.log";
  CHECK_THROWS_AS(Console({.file = path}), std::exception);
}

TEST_CASE("a process whose standard error is a file has no terminal", "[console]") {
  CapturedErrors errors;
  const auto options = console_of_this_process();
  CHECK_FALSE(options.terminal);
  CHECK(options.width == 80);
}

TEST_CASE("without a reader, lines beyond a limit are dropped, and counted once they are read",
          "[console]") {
  UnreadErrors errors;
  Console console{{}};
  console.say({Level::info, long_line});
  errors.read_until("x"); // it is being written: what follows waits
  constexpr auto many = 3 * Screen::most_lines;
  for (std::size_t i = 0; i < many; ++i)
    console.say({Level::info, "a line"});
  const auto lines = lines_of(errors.read_until("not read in time)\n"));
  CHECK(std::count(lines.begin(), lines.end(), "a line") == Screen::most_lines);
  CHECK(lines.back() == "(2000 lines are left out here: they were not read in time)");
  console.say({Level::info, "and on"});
  CHECK(lines_of(errors.read_until("and on\n")).back() == "and on");
}

TEST_CASE("flushing waits only once for a stalled reader", "[console]") {
  UnreadErrors errors;
  Console console{{.patience = std::chrono::milliseconds{1}}};
  console.say({Level::info, long_line});
  CHECK_FALSE(console.flush());
  console.say({Level::info, "the last"});
  CHECK_FALSE(console.flush());
  errors.read_until("the last\n");
}

TEST_CASE("a console ends without a reader, and its last lines can be read later", "[console]") {
  UnreadErrors errors;
  {
    Console console{{.patience = std::chrono::milliseconds{1}}};
    console.say({Level::info, long_line});
    console.say({Level::info, "the last"});
  }
  CHECK(lines_of(errors.read_until("the last\n")).back() == "the last");
}

TEST_CASE("the console's file has each line even if the terminal is not read", "[console]") {
  UnreadErrors errors;
  DataFolder folder;
  const auto path = folder.path("run.log");
  Console console{{.file = path}};
  console.say({Level::info, long_line});
  console.say({Level::info, "the last"});
  CHECK_THAT(lines_of(text_of_file(path)).back(), Catch::EndsWith(" info the last"));
  errors.read_until("the last\n");
}

TEST_CASE("only the newest unread progress is shown", "[console][B32]") {
  Screen screen{80};
  screen.set_progress("a", "10 %");
  screen.add_line("epoch 1 is done");
  screen.set_progress("a", "20 %");
  CHECK(screen.take() == "epoch 1 is done\n20 %");
  CHECK_FALSE(screen.pending());
}

TEST_CASE("a row that is wider than the window is folded, and without a window it is not",
          "[console]") {
  for (const auto& [width, shown] : {std::pair{20, "epoch 1:  loss 0.5\n    accuracy 0.9\n"},
                                     std::pair{0, "epoch 1:  loss 0.5  accuracy 0.9\n"}}) {
    Screen screen{width};
    screen.add_line("epoch 1:  loss 0.5  accuracy 0.9");
    CHECK(screen.take() == shown);
  }
}

TEST_CASE("a late reader is told where the dropped lines are", "[console]") {
  Screen screen{80, "runs/a/console.log"};
  for (std::size_t i = 0; i < Screen::most_lines + 2; ++i)
    screen.add_line("");
  CHECK_THAT(screen.take(), Catch::EndsWith("\n(2 lines are left out here: they were not read "
                                            "in time; runs/a/console.log has them)\n"));
}
