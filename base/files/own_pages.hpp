#pragma once

#include "base/files/spill_file.hpp"

#include <cstddef>
#include <memory>

namespace troupe {

struct FreePages {
  std::size_t bytes = 0;
  std::shared_ptr<SpillFile> spill = {};
  void operator()(std::byte* memory) const;
};

/// Memory that goes back to the system as soon as it is freed.
using OwnPages = std::unique_ptr<std::byte, FreePages>;

/// Zeros.
/// @param spill takes them; null: they are in memory
/// @throws IoError if the disk is full, std::bad_alloc
OwnPages own_pages(std::size_t bytes, std::shared_ptr<SpillFile> spill = nullptr);

/// A spill file for data that exceed their share of the memory, else null: a quarter of it is for
/// pages of the file, and the rest for what is in memory in any case.
/// @param memory bytes; 0: no limit
/// @throws IoError
std::shared_ptr<SpillFile> spill_beyond(std::uint64_t memory, std::uint64_t bytes);

} // namespace troupe
