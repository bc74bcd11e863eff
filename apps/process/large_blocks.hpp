#pragma once

namespace troupe {

/// Returns memory blocks of at least a mebibyte to the system as soon as they are freed, in all
/// threads of this process. The C library starts that way, but after freeing such a block it keeps
/// later ones of that size in its heap, up to 32 MiB (mallopt(3), M_MMAP_THRESHOLD). Parameters,
/// gradients and the scratch memory of matrix products then fragment the heap to twice its content.
/// A threshold that was set before (MALLOC_MMAP_THRESHOLD_, GLIBC_TUNABLES) stays; with another C
/// library nothing changes.
void return_large_blocks();

} // namespace troupe
