#include "model/tensor/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <new>

namespace troupe {

namespace {

std::atomic<bool> shareable = false;

/// Never destroyed, because statics may free buffers after it.
struct PieceRegistry {
  std::mutex mutex;
  std::map<const void*, SharedSegment> segments;
  std::uint64_t last_id = 0;

  static PieceRegistry& instance() {
    static PieceRegistry* registry = new PieceRegistry;
    return *registry;
  }
};

} // namespace

void make_large_segments_shareable() { shareable = true; }

void* allocate_shareable(std::size_t bytes) {
  if (!shareable)
    return nullptr;
  const auto descriptor = memfd_create("troupe", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0)
    return nullptr;
  // Sealed, so that the file cannot shrink under a reader that has mapped it.
  void* memory = MAP_FAILED;
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) == 0
      && fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (memory == MAP_FAILED) {
    close(descriptor);
    return nullptr;
  }
  auto& registry = PieceRegistry::instance();
  const std::lock_guard lock{registry.mutex};
  registry.segments[memory] = {++registry.last_id, descriptor, bytes};
  return memory;
}

bool free_shareable(void* memory) noexcept {
  auto& registry = PieceRegistry::instance();
  const std::lock_guard lock{registry.mutex};
  const auto found = registry.segments.find(memory);
  if (found == registry.segments.end())
    return false;
  munmap(memory, found->second.bytes);
  close(found->second.descriptor);
  registry.segments.erase(found);
  return true;
}

std::optional<SharedSegment> shared_segment_at(const void* memory) {
  auto& registry = PieceRegistry::instance();
  const std::lock_guard lock{registry.mutex};
  const auto found = registry.segments.find(memory);
  if (found == registry.segments.end())
    return std::nullopt;
  return found->second;
}

bool is_shared_segment(std::uint64_t id) {
  auto& registry = PieceRegistry::instance();
  const std::lock_guard lock{registry.mutex};
  return std::any_of(registry.segments.begin(), registry.segments.end(),
                     [id](const auto& segment) { return segment.second.id == id; });
}

MappedSegment::MappedSegment(int descriptor, std::size_t bytes) : bytes_(bytes) {
  struct stat status {};
  const auto whole = fstat(descriptor, &status) == 0
                     && static_cast<std::size_t>(status.st_size) == bytes
                     && (fcntl(descriptor, F_GET_SEALS) & F_SEAL_SHRINK)
                          != 0; // a file that shrinks would make reading fatal
  memory_ = whole ? mmap(nullptr, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0)
                  : MAP_FAILED;
  close(descriptor);
  if (memory_ == MAP_FAILED)
    throw std::bad_alloc{};
}

MappedSegment::~MappedSegment() { munmap(memory_, bytes_); }

} // namespace troupe
