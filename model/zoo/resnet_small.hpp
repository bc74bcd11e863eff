#pragma once

#include "model/zoo/network.hpp"

namespace troupe {

struct ResnetSmallOptions {
  std::vector<Index> channels
    = {16, 32, 64}; ///< of each stage; each stage after the first halves height and width
  Index blocks = 1; ///< residual blocks per stage
  TROUPE_FIELDS(channels, blocks);
};

/// A small residual network for images, [any, height, width] or [any, height, width, channels]:
///
///   conv2d 3 x 3 - batch norm - relu - ( residual block - relu )* - global pooling - linear
///   residual block: x + (conv2d 3 x 3 - batch norm - relu - conv2d 3 x 3 - batch norm)
///
/// He, Zhang, Ren & Sun, "Deep residual learning for image recognition", CVPR 2016, section 4.2;
/// where a stage begins with a stride of 2, the shortcut is a 1 x 1 convolution (its option B).
/// @throws std::invalid_argument for invalid options or unsuitable data
template <class Scalar>
std::unique_ptr<BasicNetwork<Scalar>> make_resnet_small(const DataSpec& data,
                                                        const ResnetSmallOptions& options = {},
                                                        const NetworkBasics& basics = {});

} // namespace troupe
