#include "model/tensor/compute_scope.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace troupe {

#ifdef __SSE__
namespace {

constexpr std::uint32_t subnormals_are_zero = 0x8040; // flush to zero, denormals are zero

bool are_subnormals_zero(std::uint32_t mode) {
  return (mode & subnormals_are_zero) == subnormals_are_zero;
}

} // namespace
#endif

ComputeScope::ComputeScope() {
#ifdef _OPENMP
  if (omp_get_max_threads() != 1)
    omp_set_num_threads(1);
#endif
#ifdef __SSE__
  saved_mode_ = _mm_getcsr();
  if (!are_subnormals_zero(saved_mode_)) // writing the mode costs more than all else here
    _mm_setcsr(saved_mode_ | subnormals_are_zero);
#endif
}

ComputeScope::~ComputeScope() {
#ifdef __SSE__
  if (!are_subnormals_zero(saved_mode_))
    _mm_setcsr(saved_mode_);
#endif
}

} // namespace troupe
