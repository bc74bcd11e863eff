#pragma once

#include "model/zoo/network.hpp"

namespace troupe {

struct LenetOptions {
  std::string activation = "relu";       ///< between layers, see activations.hpp
  std::string initializer = "he_normal"; ///< see initializers.hpp
  FIELDS(activation, initializer);
};

/// LeNet-5 for images of 28 x 28 or so, [any, height, width] or [any, height, width, channels]:
///
///   conv2d 6, 5 x 5, padding 2 - pooling 2 - conv2d 16, 5 x 5 - pooling 2 - linear 120 - linear 84
///   - linear, as many outputs as the target needs
///
/// LeCun et al., "Gradient-based learning applied to document recognition", Proc. IEEE 86, 1998,
/// section II.B; with the largest number of each pool, every connection between its maps, and
/// rectifiers, as is usual since.
/// @throws std::invalid_argument where options or data do not do.
template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>> make_lenet(const DataSpec& data,
                                                 const LenetOptions& options = {},
                                                 const NetworkBasics& basics = {});

} // namespace troupe
