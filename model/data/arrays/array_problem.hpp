#pragma once

#include "model/data/fitted_problem.hpp"
#include "model/data/problem.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// The numbers of a field, row-major [rows, width]; one of both is null, by the field's type.
struct ArrayView {
  const float* values = nullptr;         ///< of float32; null for classes
  const std::int32_t* classes = nullptr; ///< of class_index; null for numbers
};

/// The arrays of a section, in the order of the fields, and the rows of them that belong to it.
struct ArraySection {
  std::vector<ArrayView> inputs, targets; ///< one for each field
  std::vector<Index> rows;                ///< of the arrays, from 0
};

/// Arrays in the memory of this process as a problem: it reads them where they are, and a batch is
/// the only copy of a row. Numbers must be finite, and classes 0 .. classes - 1, or -1 in a masked
/// field.
class ArrayProblem : public Problem, public FittedProblem {
public:
  using Sections = std::array<ArraySection, 3>; ///< by Section

  /// @param owner keeps the arrays as they are for as long as the problem lives
  /// @throws DataError for a number that is not finite or no class of its field, with its place
  ArrayProblem(DataSpec spec, Sections sections, std::shared_ptr<const void> owner);
  std::string name() const override { return "arrays"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override;
  /// {"problem": "arrays", "data": "0f3a9c01", "inputs": [{"name": "inputs", ...}], ...}
  std::string fit() const override;
  std::vector<std::string> reading_notes() const override;

  /// @throws std::out_of_range for a row that the section does not have
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;

private:
  DataSpec spec_;
  Sections sections_;
  std::shared_ptr<const void> owner_;
  std::string data_; // checksum of the rows of all sections
};

/// The fields of a problem as JSON, for array_fields.
std::string fields_text(const DataSpec& data);

/// The fields of the arrays that a run was trained on, which make its model without the arrays.
/// @param fit from ArrayProblem::fit, or from fields_text. @throws DataError if it cannot be read
DataSpec array_fields(const std::string& fit);

/// Lets configurations of this process name a problem, while it lives:
/// `problem: {name: arrays, handle: ...}`. @returns the handle
std::string hand_over(const std::shared_ptr<const ArrayProblem>& problem);

} // namespace troupe
