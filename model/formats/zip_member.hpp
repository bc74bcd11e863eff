#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// A file in a ZIP archive, from the archive's directory. Sizes in bytes.
struct ZipMember {
  std::string name;
  std::size_t entry = 0; ///< offset of its directory entry
  std::size_t method = 0, checksum = 0, packed_size = 0, size = 0;
  std::size_t local = 0; ///< offset of its local header
};

/// The files in an archive, in the directory's order. ZIP64, for more than 4 GiB, is refused.
/// @param archive its bytes
/// @param path of the archive, for messages
/// @throws DataError if the archive is damaged
std::vector<ZipMember> zip_directory(const std::string& archive, const std::string& path);

/// @returns a file in the archive, decompressed, with its checksum verified
/// @throws DataError if it is damaged
std::string unpack(const std::string& archive, const ZipMember& member, const std::string& path);

/// Decompresses the file called `name`.
/// @throws DataError if the archive is damaged, or has no such file, listing those that it has
std::string zip_member(const std::string& archive, const std::string& name,
                       const std::string& path);

} // namespace troupe
