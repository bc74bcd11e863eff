#include "model/tensor/buffer.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <memory>
#include <thread>
#include <vector>

using namespace troupe;

TEST_CASE("buffers of every size are aligned to a cache line", "[buffer]") {
  for (std::size_t n : {1u, 3u, 63u, 64u, 65u, 1000u, 1u << 20}) {
    const Buffer<float> buffer(n);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0);
  }
}

TEST_CASE("growing a buffer keeps its content", "[buffer]") {
  Buffer<float> buffer{1, 2, 3};
  buffer.resize(100'000);
  CHECK(buffer[0] == 1);
  CHECK(buffer[2] == 3);
}

TEST_CASE("a freed piece is reused, also where something small was allocated since", "[buffer]") {
  for (const std::size_t bytes : {std::size_t{50'880}, (std::size_t{3} << 20) + 64}) {
    auto* first = allocate_aligned(bytes);
    free_aligned(first, bytes);
    const auto stays = std::make_unique<std::array<char, 200>>();
    auto* second = allocate_aligned(bytes);
    CHECK(first == second);
    free_aligned(second, bytes);
  }
}

TEST_CASE("zero bytes may be allocated, and null may be freed", "[buffer]") {
  auto* memory = allocate_aligned(0);
  CHECK(memory != nullptr);
  free_aligned(memory, 0);
  free_aligned(nullptr, 1 << 21);
}

TEST_CASE("the pool serves several threads at once", "[buffer]") {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 50; ++i) {
        Buffer<int> buffer(300'000);
        buffer.front() = buffer.back() = t;
        std::this_thread::yield();
        wrong[t] += buffer.front() != t || buffer.back() != t;
      }
    });
  for (auto& thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}
