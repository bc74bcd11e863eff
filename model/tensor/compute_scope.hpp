#pragma once

#include <cstdint>

namespace troupe {

/// Sets the calling thread up for arithmetic while it lives: results too small for a normal number
/// become 0, since a decaying average that reaches denormals runs 20 times slower, and products
/// keep to this thread. Costs some tens of nanoseconds. The former floating-point mode returns at
/// the end; leave no scope open while another thread takes over.
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
