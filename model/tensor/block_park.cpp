#include "model/tensor/block_park.hpp"

#include "base/files/spill_file.hpp"

#include <map>
#include <mutex>
#include <vector>

namespace troupe {

/// Places in the file; those that are free are taken again.
class BlockPark::Places {
public:
  explicit Places(std::uint64_t resident) : file_(SpillFile::usual_folder(), resident) {}

  const float* put(std::span<const float> numbers) {
    const auto bytes = std::as_bytes(numbers);
    auto* const place = take(bytes.size());
    file_.write(place, bytes);
    return reinterpret_cast<const float*>(place);
  }

  /// @param place whose numbers may have been read, and so brought into memory
  void give_back(const float* place, std::size_t bytes) {
    {
      const std::scoped_lock lock(mutex_);
      free_[bytes].push_back(reinterpret_cast<std::byte*>(const_cast<float*>(place)));
    }
    file_.count_use(bytes);
  }

private:
  std::byte* take(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    auto& free = free_[bytes];
    if (free.empty())
      return file_.take(bytes);
    auto* const place = free.back();
    free.pop_back();
    return place;
  }

  SpillFile file_;
  std::mutex mutex_;
  std::map<std::size_t, std::vector<std::byte*>> free_; ///< by their bytes
};

BlockPark::BlockPark(std::uint64_t resident) : places_(std::make_shared<Places>(resident)) {}

Block BlockPark::park(const Block& block) {
  if (block.empty())
    return block;
  const auto numbers = block.view();
  const auto* const place = places_->put(numbers);
  return Block::over({place, numbers.size()},
                     {place, [places = places_, bytes = numbers.size_bytes()](const float* of) {
                        places->give_back(of, bytes);
                      }});
}

} // namespace troupe
