#pragma once

#include "base/files/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace troupe {

/// A file that is read in pieces, so that it need not fit into memory. It stays the same file if
/// another one replaces it under its name.
class ReadableFile {
public:
  /// Nothing if it cannot be opened.
  static std::optional<ReadableFile> open(const std::filesystem::path& path);

  std::uint64_t size() const; ///< in bytes
  /// Fills `to` with the bytes from `offset` on. @returns how many there are: fewer at the end of
  /// the file, and of a file that the system does not give
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> to) const;

private:
  explicit ReadableFile(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  Descriptor descriptor_;
};

} // namespace troupe
