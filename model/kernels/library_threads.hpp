// For sources that call oneDNN; not part of the public headers.
#pragma once

#include <omp.h>

namespace troupe {

/// Makes oneDNN compute on the calling thread alone. It splits its work over the threads that OpenMP
/// offers; their barriers spin, which costs milliseconds when another process wants the core. The
/// setting belongs to the calling thread.
inline void use_calling_thread_only() {
  if (omp_get_max_threads() != 1)
    omp_set_num_threads(1);
}

} // namespace troupe
