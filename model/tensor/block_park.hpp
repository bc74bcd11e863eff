#pragma once

#include "model/tensor/block.hpp"

#include <cstdint>
#include <memory>

namespace troupe {

/// Keeps blocks in a temporary file that nobody reads at the moment, for a program with many
/// learners of which few compute at once. Safe from several threads at once.
class BlockPark {
public:
  /// @param resident bytes of parked blocks that may be in memory, about
  /// @throws IoError if there can be no file
  explicit BlockPark(std::uint64_t resident);

  /// The same numbers, in the file. The block may outlive the park.
  /// @throws IoError if the disk is full
  Block park(const Block& block);

private:
  class Places;
  std::shared_ptr<Places> places_;
};

} // namespace troupe
