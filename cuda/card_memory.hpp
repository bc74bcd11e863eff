// Memory on the card, and pinned memory of the host, by which both exchange data.
#pragma once

#include "model/device/device_run.hpp"

#include <cuda_runtime.h>

#include <string>
#include <utility>

namespace troupe {

/// @throws DeviceError unless `result` is success; `what`: what was being done
inline void check_cuda(cudaError_t result, const char* what) {
  if (result != cudaSuccess)
    throw DeviceError(std::string{"the graphics card failed while "} + what + ": "
                      + cudaGetErrorString(result));
}

/// An array of numbers that is freed with this object.
template <class T, bool pinned = false>
class CardArray {
public:
  CardArray() = default;
  explicit CardArray(std::size_t size) : size_(size) {
    if (size == 0)
      return;
    auto** at = reinterpret_cast<void**>(&data_);
    if constexpr (pinned)
      check_cuda(cudaHostAlloc(at, size * sizeof(T), cudaHostAllocDefault), "taking pinned memory");
    else
      check_cuda(cudaMalloc(at, size * sizeof(T)), "taking memory");
  }
  ~CardArray() { reset(); }
  CardArray(CardArray&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}
  CardArray& operator=(CardArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

private:
  void reset() noexcept {
    if (data_ != nullptr)
      static_cast<void>(pinned ? cudaFreeHost(data_) : cudaFree(data_));
    data_ = nullptr;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
using PinnedArray = CardArray<T, true>;

} // namespace troupe
