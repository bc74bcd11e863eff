#include "model/layers/sequence.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

void check_sequence(const std::string& who, const std::string& expected, const Shape& given) {
  const auto sizes
    = static_cast<std::size_t>(std::count(expected.begin(), expected.end(), ',')) + 1;
  if (given.size() != sizes
      || std::any_of(given.begin() + 1, given.end(), [](Index size) { return size < 1; }))
    throw std::invalid_argument(who + " needs " + expected
                                + " with every size but the batch's known, but was given "
                                + to_string(given));
}

} // namespace troupe
