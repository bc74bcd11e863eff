#pragma once

#include "model/zoo/network.hpp"

#include <map>
#include <span>
#include <string>

namespace troupe {

/// Exports a network as an ONNX file (opset 13), for other programs to run: https://onnx.ai.
///
/// Its input has the problem's name and shape, [batch, ...]; int64 where an embedding looks it up,
/// else float. Its output "prediction" is the network's output before the loss: for classes,
/// without the softmax that softmax_cross_entropy applies. Constants have the parameters' names.
/// Dropout is omitted; batch_norm uses its running statistics.
/// @param parameters network.layout().size() numbers
/// @param metadata key-value pairs for the file
/// @throws std::invalid_argument for a layer that ONNX cannot express, and for more than 2 GiB, the
///         limit of Protocol Buffers
std::string onnx_file(const Network& network, std::span<const float> parameters,
                      const std::map<std::string, std::string>& metadata);

} // namespace troupe
