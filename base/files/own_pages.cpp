#include "base/files/own_pages.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace troupe {

OwnPages own_pages(std::size_t bytes, std::shared_ptr<SpillFile> spill) {
  if (spill) {
    auto* const taken = spill->take(bytes);
    return {taken, FreePages{bytes, std::move(spill)}};
  }
  auto* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc();
  return {static_cast<std::byte*>(memory), FreePages{bytes}};
}

void FreePages::operator()(std::byte* memory) const {
  if (spill)
    spill->give_back(memory, bytes);
  else
    munmap(memory, bytes);
}

std::shared_ptr<SpillFile> spill_beyond(std::uint64_t memory, std::uint64_t bytes) {
  const auto share = memory / 4;
  if (memory == 0 || bytes <= share)
    return nullptr;
  return std::make_shared<SpillFile>(SpillFile::usual_folder(), share);
}

} // namespace troupe
