#pragma once

namespace troupe {

/// Has memory of at least a mebibyte go back to the system as soon as it is freed, in all threads
/// of this process. The C library begins so, but once such a piece has been freed it keeps the next
/// ones of that size in its heap, up to 32 MiB (mallopt(3), M_MMAP_THRESHOLD): between parameters,
/// gradients and the scratch memory of each matrix product that heap was twice as large as what lay
/// in it. A value that somebody chose before (MALLOC_MMAP_THRESHOLD_, GLIBC_TUNABLES) stays; with
/// another C library nothing changes.
void return_large_blocks();

} // namespace troupe
