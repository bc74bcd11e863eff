// Large pieces of memory that another process of this machine can read: parameters go from one
// process to the other without being copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace troupe {

/// Pieces of memory that are taken from now on by `allocate_aligned_shareable`, from 0.5 MB, can be
/// shared. A process that trains alone has no use for it, and what no peer reads is better without:
/// the pages of shared memory are small on most machines.
void make_large_pieces_shareable();

/// A piece of this process's memory, as it is handed to another one.
struct SharedPiece {
  std::uint64_t id = 0;  ///< never used again in this process
  int descriptor = -1;   ///< of the memory; stays this process's
  std::size_t bytes = 0; ///< of the whole piece
};

/// The piece that begins at `memory`; nothing where it cannot be shared.
std::optional<SharedPiece> shared_piece_at(const void* memory);

/// Whether a piece is still this process's.
bool is_shared_piece(std::uint64_t id);

/// Memory of another process, to be read.
class MappedPiece {
public:
  /// Takes over the descriptor. @throws std::bad_alloc where it cannot be mapped with `bytes`.
  MappedPiece(int descriptor, std::size_t bytes);
  ~MappedPiece();
  MappedPiece(const MappedPiece&) = delete;
  MappedPiece& operator=(const MappedPiece&) = delete;

  const void* memory() const { return memory_; }
  std::size_t bytes() const { return bytes_; }

private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// For buffer.cpp: memory for a large piece where pieces are to be shareable, else nullptr; and
/// back.
void* allocate_shareable(std::size_t bytes);
/// @returns false for memory that is not of `allocate_shareable`.
bool free_shareable(void* memory) noexcept;

} // namespace troupe
