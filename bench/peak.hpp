#pragma once

namespace troupe::bench {

/// The floating-point operations per second that one core reaches in registers, the most of some
/// short runs; a fused multiplication and addition counts as two. 0 on a processor without FMA.
double measured_peak();

} // namespace troupe::bench
