// The two errors of a data file, separate because their cures differ: wrong data must be replaced,
// while a file that cannot be read may only need to be mounted.
#pragma once

#include <stdexcept>
#include <string>

namespace troupe {

/// The file was read, but its content cannot be used. The sentence names the file, the place in it,
/// what was found, what was expected and what to do.
class DataError : public std::runtime_error {
public:
  /// Text quoted from the file may hold anything: control characters except line ends become ?.
  explicit DataError(const std::string& sentence);
};

/// The file cannot be opened, read or written; the sentence has the system's reason.
class FileError : public std::runtime_error {
public:
  explicit FileError(const std::string& sentence); ///< as DataError
};

} // namespace troupe
