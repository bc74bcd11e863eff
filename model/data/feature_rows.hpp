#pragma once

#include "base/files/own_pages.hpp"
#include "base/types.hpp"
#include "model/data/row_copies.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace troupe {

/// The features of a table's rows, [rows, width], in memory or in a spill file.
class FeatureRows {
public:
  FeatureRows() = default;
  /// Zeros.
  /// @param spill takes them; null: they are in memory
  /// @throws IoError if the disk is full
  FeatureRows(Index rows, Index width, std::shared_ptr<SpillFile> spill)
    : rows_(rows),
      width_(width),
      pages_(own_pages(static_cast<std::size_t>(rows * width) * sizeof(float), std::move(spill))) {}

  Index rows() const { return rows_; }
  Index width() const { return width_; }
  /// Null: they are in memory.
  SpillFile* spill() const { return pages_.get_deleter().spill.get(); }

  std::span<float> row(Index i) {
    return {numbers() + i * width_, static_cast<std::size_t>(width_)};
  }
  std::span<const float> row(Index i) const {
    return {numbers() + i * width_, static_cast<std::size_t>(width_)};
  }

  /// Rows that were written may leave the memory.
  void wrote(Index rows) {
    if (auto* file = spill())
      file->count_use(static_cast<std::size_t>(rows * width_) * sizeof(float));
  }
  /// All rows are written.
  void finish() {
    if (auto* file = spill()) {
      file->leave_memory();
      file->expect_any_order();
    }
  }

  /// Copies rows one after the other.
  /// @throws IoError
  template <class RowOf>
  void copy(std::size_t count, RowOf row_of, float* to) const {
    const auto* const file = spill();
    if (file == nullptr)
      return copy_each_row(numbers(), width_, count, row_of, [&](std::size_t, const float* row) {
        to = std::copy_n(row, width_, to);
      });
    for (std::size_t i = 0; i < count; ++i, to += width_)
      file->read(std::as_bytes(row(row_of(i))).data(),
                 std::as_writable_bytes(std::span{to, static_cast<std::size_t>(width_)}));
  }

private:
  float* numbers() const { return reinterpret_cast<float*>(pages_.get()); }

  Index rows_ = 0, width_ = 0;
  OwnPages pages_;
};

} // namespace troupe
