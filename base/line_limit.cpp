#include "base/line_limit.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

constexpr auto interval_of_kind = std::chrono::seconds{1};

std::string with_count(const std::string& line, std::size_t more) {
  return line + " (and " + std::to_string(more) + " more like it)";
}

} // namespace

std::optional<std::string> LineLimit::admit(const std::string& kind, const std::string& line,
                                            Time now) {
  const auto known = kinds_.find(kind);
  if (known == kinds_.end()) {
    kinds_[kind].written = now;
    return line;
  }
  auto& state = known->second;
  if (now < state.written + interval_of_kind) {
    ++state.left_out;
    state.newest = line;
    return {};
  }
  state.written = now;
  const auto before = std::exchange(state.left_out, 0);
  return before == 0 ? line : with_count(line, before);
}

std::vector<std::string> LineLimit::left_out(Time now) {
  std::vector<std::string> lines;
  for (auto& [name, state] : kinds_)
    if (state.left_out > 0 && now >= state.written + interval_of_kind) {
      state.written = now;
      const auto count = std::exchange(state.left_out, 0);
      lines.push_back(count == 1 ? state.newest : with_count(state.newest, count - 1));
    }
  return lines;
}

std::optional<LineLimit::Time> LineLimit::next_line() const {
  std::optional<Time> next;
  for (const auto& [name, state] : kinds_)
    if (state.left_out > 0)
      next = std::min(next.value_or(Time::max()), state.written + interval_of_kind);
  return next;
}

} // namespace troupe
