// Large segments of memory that another process on this machine can read: parameters pass between
// processes without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace troupe {

/// From now on segments of 0.5 MB or more from `allocate_aligned_shareable` can be shared. Leave it
/// off where no peer reads them: on most machines the pages of shared memory are small and
/// therefore slower.
void make_large_segments_shareable();

/// A segment of this process's memory, to be handed to another process.
struct SharedSegment {
  std::uint64_t id = 0;  ///< unique in this process
  int descriptor = -1;   ///< of the memory; owned by this process
  std::size_t bytes = 0; ///< of the whole segment
};

/// The segment that begins at `memory`; nothing if it is not shareable.
std::optional<SharedSegment> shared_segment_at(const void* memory);

/// True while this process still owns the segment.
bool is_shared_segment(std::uint64_t id);

/// Memory of another process, mapped for reading.
class MappedSegment {
public:
  /// Takes over the descriptor. @throws std::bad_alloc if it cannot be mapped with `bytes`.
  MappedSegment(int descriptor, std::size_t bytes);
  ~MappedSegment();
  MappedSegment(const MappedSegment&) = delete;
  MappedSegment& operator=(const MappedSegment&) = delete;

  const void* memory() const { return memory_; }
  std::size_t bytes() const { return bytes_; }

private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// For buffer.cpp: allocates and frees large shareable segments. Null if segments are not to be
/// shareable.
void* allocate_shareable(std::size_t bytes);
/// @returns false for memory that does not come from `allocate_shareable`
bool free_shareable(void* memory) noexcept;

} // namespace troupe
