#pragma once

#include <cstddef>
#include <optional>

namespace troupe {

/// How many steps a card may be behind its caller: as many as it computes in 4 ms, since a stop or
/// a gate waits for them.
class DeviceLag {
public:
  std::size_t most() const { return most_; }

  /// The caller has waited for the card. @param done steps since it waited before
  /// @param now seconds, of any origin
  void waited(std::size_t done, double now);

private:
  std::size_t most_ = 16;
  std::size_t done_ = 0;        ///< steps since `since_`
  std::optional<double> since_; ///< seconds; nothing: it has not waited yet
};

} // namespace troupe
