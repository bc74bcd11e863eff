#pragma once

#include "base/fields.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// How many pushes a worker may be ahead of the slowest: 0 keeps all workers in step, "unbounded"
/// never waits.
struct Staleness {
  static constexpr std::int64_t no_bound = -1; ///< the value of `bound` that never waits

  std::int64_t bound = no_bound; ///< pushes, or no_bound
  TROUPE_FIELDS(bound);

  /// Whether each push waits for all workers.
  bool synchronous() const { return bound == 0; }
  /// Whether a worker may be ahead, but not without limit.
  bool bounded() const { return bound > 0; }
};

/// "unbounded", "0", "3"
std::string to_string(Staleness staleness);
bool from_text(std::string_view text, Staleness& staleness); ///< "unbounded", "0", "3"

} // namespace troupe
