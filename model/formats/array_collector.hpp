#pragma once

#include "model/tensor/layout.hpp"

#include <cstdint>
#include <string>

namespace troupe {

inline constexpr std::uint64_t parameter_file_limit = std::uint64_t{1} << 34; ///< bytes of a file

/// Lays out the arrays of a file one after the other.
class ArrayCollector {
public:
  /// @param path of the file, for messages
  explicit ArrayCollector(std::string path) : path_(std::move(path)) {}

  /// Appends an array; a single number, of shape [], becomes [1].
  /// @returns its offset in elements
  /// @throws DataError for an array without elements, a name that is empty or repeated, and for
  ///         more arrays or elements than a parameter file may have
  Index add(const std::string& name, Shape shape);

  const Layout& layout() const { return layout_; }

private:
  std::string path_;
  Layout layout_;
};

} // namespace troupe
