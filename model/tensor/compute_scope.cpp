#include "model/tensor/compute_scope.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace troupe {

ComputeScope::ComputeScope() {
#ifdef _OPENMP
  if (omp_get_max_threads() != 1)
    omp_set_num_threads(1);
#endif
#ifdef __SSE__
  constexpr std::uint32_t flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
  saved_mode_ = _mm_getcsr();
  _mm_setcsr(saved_mode_ | flush_to_zero | denormals_are_zero);
#endif
}

ComputeScope::~ComputeScope() {
#ifdef __SSE__
  _mm_setcsr(saved_mode_);
#endif
}

} // namespace troupe
