#pragma once

#include <cstdint>

namespace troupe {

/// Prepares the calling thread for arithmetic while it lives: subnormal results become 0, because a
/// decaying average that reaches subnormals runs 20 times slower, and library products stay on this
/// thread. Costs some tens of nanoseconds. The destructor restores the floating-point mode; do not
/// keep a scope open while another thread takes over.
class ComputeScope {
public:
  ComputeScope();
  ~ComputeScope();
  ComputeScope(const ComputeScope&) = delete;
  ComputeScope& operator=(const ComputeScope&) = delete;

private:
  std::uint32_t saved_mode_ = 0; ///< MXCSR
};

} // namespace troupe
