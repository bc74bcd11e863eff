#pragma once

#include "model/zoo/network.hpp"

namespace troupe {

struct LenetOptions {
  std::string activation = "relu";       ///< between layers, see activations.hpp
  std::string initializer = "he_normal"; ///< see initializers.hpp
  TROUPE_FIELDS(activation, initializer);
};

/// LeNet-5 for images of about 28 x 28, [any, height, width] or [any, height, width, channels]:
///
///   conv2d 6, 5 x 5, padding 2 - pooling 2 - conv2d 16, 5 x 5 - pooling 2 - linear 120 - linear 84
///   - linear, as many outputs as the target needs
///
/// LeCun et al., "Gradient-based learning applied to document recognition", Proc. IEEE 86, 1998,
/// section II.B; with max pooling, all connections between feature maps, and rectifiers, as is
/// usual today.
/// @throws std::invalid_argument for invalid options or unsuitable data
template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>> make_lenet(const DataSpec& data,
                                                 const LenetOptions& options = {},
                                                 const NetworkBasics& basics = {});

} // namespace troupe
