#include "torch/allocator.hpp"

#include <c10/core/CPUAllocator.h>

#include <cstring>

namespace troupe {

namespace {

constexpr std::size_t head = 64; // bytes before a piece for its size, which keep it aligned

TorchHost memory_host;

void release_piece(void* piece) {
  if (piece == nullptr)
    return;
  auto* const begin = static_cast<char*>(piece) - head;
  std::size_t bytes = 0;
  std::memcpy(&bytes, begin, sizeof bytes);
  memory_host.release(begin, bytes);
}

class HostAllocator : public c10::Allocator {
public:
  c10::DataPtr allocate(std::size_t wanted) const override {
    if (wanted == 0)
      return {nullptr, nullptr, &release_piece, c10::Device{c10::DeviceType::CPU}};
    const auto bytes = wanted + head;
    auto* const begin = static_cast<char*>(memory_host.allocate(bytes));
    std::memcpy(begin, &bytes, sizeof bytes);
    return {begin + head, begin + head, &release_piece, c10::Device{c10::DeviceType::CPU}};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release_piece; }
};

} // namespace

void use_memory_of(const TorchHost& host) {
  static const bool once = [&host] {
    constexpr std::uint8_t above_default = 1;
    memory_host = host;
    // Never deleted: tensors may outlive everything else.
    c10::SetCPUAllocator(new HostAllocator, above_default);
    return true;
  }();
  static_cast<void>(once);
}

} // namespace troupe
