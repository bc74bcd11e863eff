#pragma once

#include "base/files/mapped_file.hpp"
#include "model/tensor/layout.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

/// The bytes of an IDX file after its header: those of a plain file stay in the file, others are in
/// memory.
class IdxBytes {
public:
  IdxBytes() = default;
  explicit IdxBytes(std::vector<std::uint8_t> held) : held_(std::move(held)) {}
  IdxBytes(MappedFile file, std::size_t begin) : file_(std::move(file)), begin_(begin) {}

  std::span<const std::uint8_t> all() const;
  /// @throws DataError if the file was written since it was opened: check before bytes are used
  void check_unchanged() const;

private:
  std::vector<std::uint8_t> held_;
  std::optional<MappedFile> file_;
  std::size_t begin_ = 0;
};

/// The content of an IDX file, row-major.
struct IdxArray {
  Shape shape;
  std::variant<IdxBytes, std::vector<float>> elements;
};

/// Reads an IDX file of unsigned bytes (type 0x08) or 32-bit floats (0x0D), plain or gzip: two zero
/// bytes, the type, the rank, one size per dimension as 32 bits and the elements, all most
/// significant byte first; yann.lecun.com/exdb/mnist.
/// @param what for messages: "images"
/// @param min_rank,max_rank expected number of dimensions
/// @throws IoError if it cannot be read; DataError if it is damaged or of another kind.
///         Never allocates more memory than the file could fill.
IdxArray read_idx(const std::string& path, const std::string& what, int min_rank, int max_rank);

} // namespace troupe
