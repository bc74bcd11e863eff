#include "apps/process/large_blocks.hpp"

#include <malloc.h>

#include <cstdlib>
#include <string_view>

namespace troupe {

namespace {

bool threshold_is_chosen() {
  const auto* tunables = std::getenv("GLIBC_TUNABLES");
  return std::getenv("MALLOC_MMAP_THRESHOLD_") != nullptr
         || (tunables != nullptr
             && std::string_view{tunables}.find("mmap_threshold") != std::string_view::npos);
}

} // namespace

void return_large_blocks() {
#ifdef M_MMAP_THRESHOLD
  if (!threshold_is_chosen())
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

} // namespace troupe
