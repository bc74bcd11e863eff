#pragma once

#include "base/types.hpp"

#include <cstddef>

namespace troupe {

/// Calls copy(i, row) for i = 0 .. count - 1, where row points to the `width` elements of row
/// row_of(i) of `table`, [rows, width]. The rows of a shuffled batch are scattered over a table
/// that fits no cache, and a processor prefetches only sequential memory: while one row is copied,
/// the row after the next is prefetched.
template <class T, class RowOf, class Copy>
void copy_each_row(const T* table, Index width, std::size_t count, RowOf row_of, Copy copy) {
  constexpr std::size_t ahead = 2, line = 64; // rows, bytes
  constexpr std::size_t at_most = 8192;       // bytes of a row; the processor prefetches the rest
  const auto bytes = static_cast<std::size_t>(width) * sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + ahead < count) {
      const auto* const next
        = reinterpret_cast<const std::byte*>(table + row_of(i + ahead) * width);
      for (std::size_t at = 0; at < bytes && at < at_most; at += line)
        __builtin_prefetch(next + at);
    }
    copy(i, table + row_of(i) * width);
  }
}

} // namespace troupe
