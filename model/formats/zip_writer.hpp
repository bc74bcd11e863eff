#pragma once

#include "model/formats/byte_sink.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace troupe {

/// Writes a ZIP archive of uncompressed files. ZIP (APPNOTE) without ZIP64: at most 4 GiB and
/// 65,535 files.
class ZipWriter {
public:
  explicit ZipWriter(ByteSink sink) : sink_(std::move(sink)) {}

  /// Appends a file made of these pieces.
  /// @throws DataError if the archive becomes too large; it is unusable then
  void add(const std::string& name, std::span<const std::string_view> pieces);
  /// Writes the directory, which ends the archive. @throws DataError as `add`
  void finish();

private:
  void put(std::string_view bytes);
  void check_size(std::uint64_t more) const;

  ByteSink sink_;
  std::string directory_;
  std::uint64_t written_ = 0, files_ = 0;
};

} // namespace troupe
