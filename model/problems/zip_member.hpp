#pragma once

#include <string>

namespace troupe {

/// A file in an archive of ZIP, unpacked and its checksum compared.
/// @param archive its bytes  @param path of the archive, for sentences
/// @throws DataError where the archive is damaged, or has no such member: the sentence lists those
/// that it has.
std::string zip_member(const std::string& archive, const std::string& member,
                       const std::string& path);

} // namespace troupe
