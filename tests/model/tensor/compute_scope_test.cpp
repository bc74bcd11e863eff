#include "model/tensor/compute_scope.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace troupe;

#if defined(__SSE2__)

namespace {

float quarter_of_the_smallest_normal_number() {
  volatile float x = std::numeric_limits<float>::min();
  return x * 0.25f;
}

/// 0 where the processor treats a subnormal operand as 0.
double denormal_times_huge() {
  volatile float x = std::numeric_limits<float>::denorm_min();
  return x * 1e38f;
}

} // namespace

TEST_CASE("within a compute scope subnormals are zero, and after it they are not",
          "[compute_scope]") {
  CHECK(quarter_of_the_smallest_normal_number() > 0);
  {
    const ComputeScope scope;
    CHECK(quarter_of_the_smallest_normal_number() == 0);
    CHECK(denormal_times_huge() == 0);
    { const ComputeScope inner; }
    CHECK(quarter_of_the_smallest_normal_number() == 0);
  }
  CHECK(quarter_of_the_smallest_normal_number() > 0);
  CHECK(denormal_times_huge() > 0);
}

#endif
