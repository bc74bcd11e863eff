#include "messages/parameters/staleness.hpp"

#include "base/text/number_in.hpp"

namespace troupe {

std::string to_string(Staleness staleness) {
  return staleness.bound < 0 ? "unbounded" : std::to_string(staleness.bound);
}

bool from_text(std::string_view text, Staleness& staleness) {
  if (text == "unbounded") {
    staleness.bound = Staleness::no_bound;
    return true;
  }
  const auto bound = number_in<std::int64_t>(text);
  if (!bound || *bound < 0)
    return false;
  staleness.bound = *bound;
  return true;
}

} // namespace troupe
