#include "apps/block_transfer/block_pieces.hpp"

#include "base/exit_codes.hpp"

#include <new>
#include <utility>

namespace troupe {

PieceReference OfferedPieces::offer(const BlockSocket& socket, const Block& block) {
  if (!socket.local())
    return {};
  auto gone = take_gone();
  const auto piece = shared_piece_at(block.view().data());
  if (!piece)
    return {.gone = std::move(gone)};
  return {piece->id, piece->bytes, known_.insert(piece->id).second, std::move(gone)};
}

std::vector<std::uint64_t> OfferedPieces::take_gone() {
  std::vector<std::uint64_t> gone;
  std::erase_if(known_, [&gone](std::uint64_t id) {
    const auto lives = is_shared_piece(id);
    if (!lives)
      gone.push_back(id);
    return !lives;
  });
  return gone;
}

void OfferedPieces::send(BlockSocket& socket, const PieceReference& piece, const Block& block) {
  if (piece.fresh)
    socket.write_descriptor(shared_piece_at(block.view().data())->descriptor);
}

namespace {

std::shared_ptr<MappedPiece> mapped(int descriptor, std::size_t bytes) {
  try {
    return std::make_shared<MappedPiece>(descriptor, bytes);
  } catch (const std::bad_alloc&) {
    throw IoError("a peer offered a piece of memory that cannot be mapped as "
                  + std::to_string(bytes) + " bytes");
  }
}

} // namespace

Block ReceivedPieces::open(BlockSocket& socket, const PieceReference& piece, Index size,
                           std::function<void()> released) {
  if (piece.fresh)
    pieces_[piece.id] = mapped(socket.read_descriptor(), piece.bytes);
  const auto found = pieces_.find(piece.id);
  if (found == pieces_.end() || found->second->bytes() < static_cast<std::size_t>(size) * 4)
    throw IoError("a peer named a piece of memory that does not hold its block");
  const auto* values = static_cast<const float*>(found->second->memory());
  const auto* owner = new std::shared_ptr<MappedPiece>{found->second};
  const auto release = [released = std::move(released)](const std::shared_ptr<MappedPiece>* kept) {
    delete kept;
    if (released)
      released();
  };
  return Block::over({values, static_cast<std::size_t>(size)},
                     std::shared_ptr<const std::shared_ptr<MappedPiece>>{owner, release});
}

void ReceivedPieces::forget(const std::vector<std::uint64_t>& gone) {
  for (auto id : gone)
    pieces_.erase(id);
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
