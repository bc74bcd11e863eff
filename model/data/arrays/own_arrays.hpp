// Vectors of a program as a problem, which owns them and splits their rows into sections.
//
//   auto problem = own_arrays({{"point", numbers, {2}}}, {{"side", classes}});
#pragma once

#include "model/data/arrays/array_problem.hpp"
#include "model/data/split.hpp"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

/// A field of all examples, one example after the other.
struct OwnArray {
  /// Numbers. @param of_one shape of one example: {28, 28}
  OwnArray(std::string field, std::vector<float> numbers, Shape of_one = {1});
  /// Labels. @param count the number of classes; 0: the largest label tells
  OwnArray(std::string field, std::vector<std::int32_t> labels, Index count = 0);

  std::string name;                                                 ///< of the field
  std::variant<std::vector<float>, std::vector<std::int32_t>> data; ///< numbers or classes
  Shape shape;                                                      ///< of one example
  Index classes = 0; ///< the number of classes; 0 for numbers
};

/// A problem of these fields, whose rows are split into training, validation and test.
/// @throws std::invalid_argument for fields of different numbers of examples, or none, and as
/// split_rows does; DataError for a number that is not finite or no class
std::shared_ptr<const ArrayProblem> own_arrays(std::vector<OwnArray> inputs,
                                               std::vector<OwnArray> targets,
                                               const SplitOptions& split = {});

} // namespace troupe
