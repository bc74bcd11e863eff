#include "model/tensor/block.hpp"

#include "base/hash_text.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace troupe {

Block::Block(Index size) : buffer_(std::make_shared<Storage>()) {
  buffer_->own.assign(static_cast<std::size_t>(size), 0.0f);
}

Block Block::uninitialized(Index size) {
  Block block;
  block.buffer_ = std::make_shared<Storage>();
  block.buffer_->own.resize(static_cast<std::size_t>(size));
  return block;
}

Block Block::copy_of(std::span<const float> values) {
  auto block = uninitialized(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), block.buffer_->own.begin());
  return block;
}

Block Block::over(std::span<const float> values, std::shared_ptr<const void> owner) {
  Block block;
  block.buffer_ = std::make_shared<Storage>();
  block.buffer_->foreign = values;
  block.buffer_->owner = std::move(owner);
  return block;
}

std::span<float> Block::own() const {
  return buffer_ ? std::span<float>{buffer_->own} : std::span<float>{};
}

std::span<const float> Block::view() const {
  if (!buffer_)
    return {};
  return buffer_->owner ? buffer_->foreign : std::span<const float>{buffer_->own};
}

std::span<float> Block::edit() {
  if (!buffer_)
    return {};
  if (shared())
    *this = copy_of(view());
  else // a thread that dropped its copy must have finished reading
    std::atomic_thread_fence(std::memory_order_acquire);
  return own();
}

std::span<float> Block::overwrite() {
  if (shared())
    *this = uninitialized(size());
  else
    std::atomic_thread_fence(std::memory_order_acquire);
  return own();
}

bool Block::operator==(const Block& other) const {
  const auto a = view(), b = other.view();
  return a.size() == b.size()
         && (a.data() == b.data() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

std::string fingerprint(const Block& block) { return hash_text(std::as_bytes(block.view())); }

} // namespace troupe
