// The two ways in which a file of data disappoints, apart because the cure differs: data that are
// wrong have to be replaced, a file that cannot be read perhaps only to be mounted.
#pragma once

#include <stdexcept>
#include <string>

namespace troupe {

/// The file was read, but what it says cannot be used. The sentence names the file, the place in
/// it, what was found, what was expected and what to do.
class DataError : public std::runtime_error {
public:
  /// What it quotes of the file may hold anything: control characters but line ends become ?.
  explicit DataError(const std::string& sentence);
};

/// The file cannot be opened, read or written; the sentence has the system's reason.
class FileError : public std::runtime_error {
public:
  explicit FileError(const std::string& sentence); ///< as DataError
};

} // namespace troupe
