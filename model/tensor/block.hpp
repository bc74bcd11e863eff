#pragma once

#include "model/tensor/buffer.hpp"

#include <memory>
#include <span>
#include <string>

namespace troupe {

/// The floats of a model: one contiguous, 64-byte-aligned, reference-counted buffer.
/// A copy of a block shares its buffer and costs nothing; what a copy shows never changes. `edit`
/// gives write access and copies the buffer first if it is shared. One block object belongs to
/// one thread at a time; copies may live on other threads.
class Block {
public:
  Block() = default;
  explicit Block(Index size); ///< zeros
  /// A block whose numbers are to be written before they are read.
  static Block uninitialized(Index size);
  /// A block with a copy of these numbers.
  static Block copy_of(std::span<const float> values);
  /// Shows foreign memory, which lives as long as `owner`. It is never written to: `edit` copies
  /// it.
  static Block over(std::span<const float> values, std::shared_ptr<const void> owner);

  /// Elements.
  Index size() const { return static_cast<Index>(view().size()); }
  /// Whether there are none.
  bool empty() const { return size() == 0; }
  /// The numbers. Valid until this block changes.
  std::span<const float> view() const;

  /// Write access, after a copy if the buffer is shared. Invalidates earlier spans of this
  /// block.
  std::span<float> edit();
  /// Write access to memory whose contents do not matter: a shared buffer is replaced, not copied.
  std::span<float> overwrite();

  /// True if `edit` would copy first.
  bool shared() const { return buffer_ && (buffer_.use_count() > 1 || buffer_->owner); }
  /// True if both show the same memory.
  bool same_buffer(const Block& other) const { return buffer_ == other.buffer_; }

  /// Compares sizes and bits, so that NaN equals itself and 0 differs from -0.
  bool operator==(const Block& other) const;

private:
  struct Storage {
    ShareableBuffer<float> own;
    std::span<const float> foreign;
    std::shared_ptr<const void> owner; ///< of the foreign memory; null: the block owns its memory
  };
  std::span<float> own() const;

  std::shared_ptr<Storage> buffer_;
};

/// 16 hexadecimal digits, a hash (XXH3) of all bits of the parameters.
std::string fingerprint(const Block& block);

} // namespace troupe
