#include "apps/block_transfer/shared_segments.hpp"

#include "base/failure.hpp"

#include <new>
#include <utility>

namespace troupe {

SegmentReference OfferedSegments::offer(const BlockSocket& socket, const Block& block) {
  if (!socket.local())
    return {};
  auto gone = take_gone();
  const auto segment = shared_segment_at(block.view().data());
  if (!segment)
    return {.gone = std::move(gone)};
  return {segment->id, segment->bytes, known_.insert(segment->id).second, std::move(gone)};
}

std::vector<std::uint64_t> OfferedSegments::take_gone() {
  std::vector<std::uint64_t> gone;
  std::erase_if(known_, [&gone](std::uint64_t id) {
    const auto lives = is_shared_segment(id);
    if (!lives)
      gone.push_back(id);
    return !lives;
  });
  return gone;
}

void OfferedSegments::send(BlockSocket& socket, const SegmentReference& segment,
                           const Block& block) {
  if (segment.fresh)
    socket.write_descriptor(shared_segment_at(block.view().data())->descriptor);
}

namespace {

std::shared_ptr<MappedSegment> mapped(int descriptor, std::size_t bytes) {
  try {
    return std::make_shared<MappedSegment>(descriptor, bytes);
  } catch (const std::bad_alloc&) {
    throw IoError("a peer offered a segment of memory that cannot be mapped as "
                  + std::to_string(bytes) + " bytes");
  }
}

} // namespace

Block ReceivedSegments::open(BlockSocket& socket, const SegmentReference& segment, Index size,
                             std::function<void()> released) {
  if (segment.fresh)
    segments_[segment.id] = mapped(socket.read_descriptor(), segment.bytes);
  const auto found = segments_.find(segment.id);
  if (found == segments_.end() || found->second->bytes() < static_cast<std::size_t>(size) * 4)
    throw IoError("a peer named a segment of memory that does not hold its block");
  const auto* values = static_cast<const float*>(found->second->memory());
  const auto* owner = new std::shared_ptr<MappedSegment>{found->second};
  const auto release
    = [released = std::move(released)](const std::shared_ptr<MappedSegment>* kept) {
        delete kept;
        if (released)
          released();
      };
  return Block::over({values, static_cast<std::size_t>(size)},
                     std::shared_ptr<const std::shared_ptr<MappedSegment>>{owner, release});
}

void ReceivedSegments::forget(const std::vector<std::uint64_t>& gone) {
  for (auto id : gone)
    segments_.erase(id);
}

void ReleaseList::add(std::uint64_t number) {
  const std::lock_guard lock{mutex_};
  numbers_.push_back(number);
}

std::vector<std::uint64_t> ReleaseList::take() {
  const std::lock_guard lock{mutex_};
  return std::exchange(numbers_, {});
}

} // namespace troupe
