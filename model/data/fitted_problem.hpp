#pragma once

#include "model/data/problem.hpp"

#include <string>

namespace troupe {

/// A problem that fits something to its training rows and reads all rows with it: means, levels,
/// classes, characters. A model works only with rows that were read with the same fit; to give it
/// rows of another file, make the problem with this fit.
class FittedProblem {
public:
  virtual ~FittedProblem() = default;

  /// The fit as readable JSON: `problem` is the problem's name, `data` a checksum of the
  /// data. A constructor accepts it. "" if nothing is fitted.
  virtual std::string fit() const = 0;
};

/// The fit of a problem; "" if it has none.
inline std::string fit_of(const Problem& problem) {
  const auto* fitted = dynamic_cast<const FittedProblem*>(&problem);
  return fitted == nullptr ? "" : fitted->fit();
}

} // namespace troupe
