#pragma once

#include "model/zoo/network.hpp"

#include <map>
#include <span>
#include <string>

namespace troupe {

/// A network as a file of ONNX (opset 13), for other programs to run: https://onnx.ai.
///
/// Its input is called and shaped as the problem's, [batch, ...]; whole numbers of type int64 where
/// an embedding looks them up, else float. Its output "prediction" is what the network puts out
/// before the loss: for classes, without the softmax that softmax_cross_entropy applies. Constants
/// are called after the parameters. Dropout is left out; batch_norm uses its running statistics.
/// @param parameters network.layout().size() numbers
/// @param metadata what the file says of itself
/// @throws std::invalid_argument for a layer that has no form in ONNX, and for more than 2 GiB,
/// which Protocol Buffers cannot hold.
std::string onnx_file(const Network& network, std::span<const float> parameters,
                      const std::map<std::string, std::string>& metadata);

} // namespace troupe
