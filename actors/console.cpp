#include "troupe/actors/console.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace troupe {

namespace {

constexpr double plain_line_every = 10; // seconds

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
  case Level::debug: return spdlog::level::debug;
  case Level::info: return spdlog::level::info;
  case Level::warning: return spdlog::level::warn;
  case Level::error: return spdlog::level::err;
  }
  return spdlog::level::info;
}

bool set(const char* variable) {
  const auto* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

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

ConsoleOptions console_of_this_process() {
  ConsoleOptions options;
  const auto* term = std::getenv("TERM");
  const auto dumb = term != nullptr && std::string_view{term} == "dumb";
  options.terminal = isatty(STDERR_FILENO) == 1 && !dumb;
  options.color
    = (options.terminal && !set("NO_COLOR")) || (set("CLICOLOR_FORCE") && !set("NO_COLOR"));
  winsize size{};
  if (options.terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    options.width = size.ws_col;
  return options;
}

Console::Console(ConsoleOptions options) : options_(std::move(options)) {
  const auto color = options_.color ? spdlog::color_mode::always : spdlog::color_mode::never;
  lines_ = std::make_shared<spdlog::logger>(
    "troupe", std::make_shared<spdlog::sinks::stderr_color_sink_st>(color));
  lines_->set_level(spdlog_level(options_.level));
  if (options_.shown && !options_.file.empty())
    open_file();
}

Console::~Console() {
  erase();
  flush();
}

void Console::say(const Say& say) {
  if (!options_.shown) {
    keep(say);
    return;
  }
  erase();
  lines_->set_pattern(say.level == Level::info ? "%v" : "%^%l%$: %v");
  lines_->log(spdlog_level(say.level), "{}", say.text);
  lines_->flush();
  if (file_)
    file_->log(spdlog_level(say.level), "{}", say.text);
  draw();
}

void Console::show(const ShowProgress& progress, double now) {
  if (!options_.shown || options_.level > Level::info)
    return;
  if (!options_.terminal) {
    const auto [last, first] = printed_.emplace(progress.name, now);
    if (!first && !progress.text.empty() && now - last->second >= plain_line_every) {
      last->second = now;
      lines_->set_pattern("%v");
      lines_->info("{}", progress.text);
    }
    return;
  }
  erase();
  if (progress.text.empty())
    progress_.erase(progress.name);
  else
    progress_[progress.name] = progress.text;
  draw();
}

void Console::flush() {
  lines_->flush();
  if (file_)
    file_->flush();
}

void Console::open_file() {
  file_ = std::make_shared<spdlog::logger>(
    "file", std::make_shared<spdlog::sinks::basic_file_sink_st>(options_.file));
  file_->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
}

/// In the file alone.
void Console::keep(const Say& what) {
  if (what.level < options_.level)
    return;
  try {
    if (!file_)
      open_file();
    file_->log(spdlog_level(what.level), "{}", what.text);
    file_->flush();
  } catch (const spdlog::spdlog_ex&) { // better seen than lost
    options_.shown = true;
    say(what);
  }
}

void Console::erase() {
  for (; drawn_ > 0; --drawn_)
    std::fputs(drawn_ == 1 ? "\r\x1b[2K" : "\r\x1b[2K\x1b[1A", stderr);
}

void Console::draw() {
  if (!options_.terminal)
    return;
  for (const auto& [name, text] : progress_) {
    std::fputs(drawn_ == 0 ? "" : "\n", stderr);
    std::fputs(cut(text, options_.width - 1).c_str(), stderr);
    ++drawn_;
  }
  std::fflush(stderr);
}

} // namespace troupe
