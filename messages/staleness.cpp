#include "troupe/messages/staleness.hpp"

#include <charconv>

namespace troupe {

std::string to_string(Staleness staleness) {
  return staleness.bound < 0 ? "unbounded" : std::to_string(staleness.bound);
}

bool from_text(std::string_view text, Staleness& staleness) {
  if (text == "unbounded") {
    staleness.bound = Staleness::no_bound;
    return true;
  }
  std::int64_t bound = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bound);
  if (error != std::errc{} || end != text.data() + text.size() || bound < 0)
    return false;
  staleness.bound = bound;
  return true;
}

} // namespace troupe
