#pragma once

#include "model/data/problem.hpp"

#include <string>

namespace troupe {

/// A problem that fits something to its training rows and reads all rows by it: means, levels,
/// classes, characters. A model knows rows that were read so, and no others; so whoever gives it
/// rows of another file makes the problem with this fit, instead of one of that file.
class FittedProblem {
public:
  virtual ~FittedProblem() = default;

  /// As JSON, for people too: `problem` is the problem's name, `data` differs where the data do. A
  /// constructor takes it. "" where nothing is fitted.
  virtual std::string fit() const = 0;
};

/// What a problem has fitted to its training rows; "" where nothing.
inline std::string fit_of(const Problem& problem) {
  const auto* fitted = dynamic_cast<const FittedProblem*>(&problem);
  return fitted == nullptr ? "" : fitted->fit();
}

} // namespace troupe
