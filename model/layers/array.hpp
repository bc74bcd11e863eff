// Elementwise arithmetic over spans.
#pragma once

#include "base/types.hpp"

#include <Eigen/Core>

#include <span>

namespace troupe {

/// The elements as an Eigen array: array(y) = array(x).tanh()
template <class Scalar>
Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>> array(std::span<const Scalar> x) {
  return {x.data(), static_cast<Index>(x.size())};
}

/// The same, to be written to.
template <class Scalar>
Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1>> array(std::span<Scalar> x) {
  return {x.data(), static_cast<Index>(x.size())};
}

} // namespace troupe
