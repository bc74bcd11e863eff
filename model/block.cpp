#include "troupe/model/block.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace troupe {

Block::Block(Index size) : buffer_(std::make_shared<Buffer<float>>(size, 0.0f)) {}

Block Block::uninitialized(Index size) {
  Block block;
  block.buffer_ = std::make_shared<Buffer<float>>();
  block.buffer_->resize(size);
  return block;
}

Block Block::copy_of(std::span<const float> values) {
  auto block = uninitialized(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), block.buffer_->begin());
  return block;
}

std::span<const float> Block::view() const {
  return buffer_ ? std::span<const float>{*buffer_} : std::span<const float>{};
}

std::span<float> Block::edit() {
  if (!buffer_)
    return {};
  if (shared())
    *this = copy_of(view());
  else // what another thread read before it dropped its copy must not see our writes
    std::atomic_thread_fence(std::memory_order_acquire);
  return *buffer_;
}

std::span<float> Block::overwrite() {
  if (shared())
    *this = uninitialized(size());
  else
    std::atomic_thread_fence(std::memory_order_acquire);
  return buffer_ ? std::span<float>{*buffer_} : std::span<float>{};
}

bool Block::operator==(const Block& other) const {
  const auto a = view(), b = other.view();
  return a.size() == b.size()
         && (a.data() == b.data() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

} // namespace troupe
