#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// A file in an archive of ZIP, as the archive's directory describes it. Sizes in bytes.
struct ZipMember {
  std::string name;
  std::size_t entry = 0; ///< where in the archive the directory says so
  std::size_t method = 0, checksum = 0, packed_size = 0, size = 0;
  std::size_t local = 0; ///< where in the archive it begins
};

/// The files in an archive, in the directory's order. ZIP64, for more than 4 GiB, is refused.
/// @param archive its bytes  @param path of the archive, for sentences
/// @throws DataError where the archive is damaged.
std::vector<ZipMember> zip_directory(const std::string& archive, const std::string& path);

/// @returns a file of it, unpacked and its checksum compared. @throws DataError where it is
/// damaged.
std::string unpack(const std::string& archive, const ZipMember& member, const std::string& path);

/// Unpacks the file called `name`.
/// @throws DataError where the archive is damaged, or has no such file: the sentence lists those
/// that it has.
std::string zip_member(const std::string& archive, const std::string& name,
                       const std::string& path);

} // namespace troupe
