#pragma once

#include "base/files/mapped_file.hpp"
#include "model/tensor/buffer.hpp"
#include "model/tensor/layout.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace troupe {

struct NpyArray {
  Shape shape;
  bool whole = false;   ///< its type is an integer or bool
  Buffer<float> values; ///< row-major
};

/// Reads an array saved by NumPy: "x.npy", or "data.npz:x" for the array x of an archive, stored or
/// compressed. Format: numpy.lib.format, versions 1 to 3; ZIP (APPNOTE) without ZIP64. Types: bool,
/// integers and floats of 2, 4 or 8 bytes, in either byte order, row-major or column-major (Fortran
/// order).
/// @throws IoError if the file cannot be read; DataError with the byte if it is damaged,
///         and for other types
NpyArray read_npy(const std::string& path);

/// The same from the bytes of a .npy file. @param path for messages
NpyArray parse_npy(std::string_view bytes, const std::string& path);

/// "x.npy, row 7, place [2, 0]" for the value at `at`; from 0, as NumPy counts.
std::string place_in(const Shape& shape, const std::string& path, std::size_t at);

/// @throws DataError with the place of the first number that is not finite
void check_finite(const NpyArray& array, const std::string& path);

/// The rows of an array that read_npy reads. Those of a plain .npy file stay in the file
/// (mapped_file.hpp), unless it is column-major, and become floats when they are copied.
class NpyRows {
public:
  /// @throws IoError, DataError as read_npy
  explicit NpyRows(const std::string& path);

  const Shape& shape() const { return held_.shape; }

  /// Checks all numbers. @returns the checksum of their floats
  /// @throws DataError as check_finite
  std::string checked_sum() const;

  /// @throws DataError if the file was written since it was opened: check before rows are used
  void check_unchanged() const;
  const char* elements() const { return elements_; } ///< of the first row
  Index row_bytes() const { return row_bytes_; }
  /// Makes floats of the elements of a row.
  void convert(const char* elements, std::span<float> to) const { convert_(elements, swap_, to); }

private:
  std::string path_;
  std::optional<MappedFile> file_;
  NpyArray held_; // no values if the file has them
  const char* elements_ = nullptr;
  std::size_t count_ = 0, element_bytes_ = 0;
  Index row_bytes_ = 0;
  bool swap_ = false; // the bytes of each element
  void (*convert_)(const char* elements, bool swap, std::span<float> to) = nullptr;
};

} // namespace troupe
