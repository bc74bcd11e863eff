// A training step as a list of operations on arrays, which a graphics card carries out.
//
//   gather the batch -> ops: forward, loss, backward -> clip -> update
//
// Gathering and updating are the same for every network (DeviceRun); the operations between them
// follow from its layers.
#pragma once

#include "base/types.hpp"
#include "model/formulas/activation_functions.hpp"
#include "model/formulas/device_loss.hpp"

#include <variant>
#include <vector>

namespace troupe {

/// A block of floats on the card.
enum class DeviceSpace : std::uint8_t {
  parameters, ///< in the layout's order, as the next two
  gradient,
  workspace, ///< activations and their gradients
  inputs,    ///< of the batch, [batch, input width]
};

/// The array that begins at an element of a block.
struct DeviceArray {
  DeviceSpace space = DeviceSpace::workspace;
  Index offset = 0;
  friend bool operator==(const DeviceArray&, const DeviceArray&) = default;
};

/// What happens with the sums of a product before they are written.
enum class Epilogue : std::uint8_t {
  none,
  bias,        ///< + bias of their column
  bias_relu,   ///< the same, then relu
  column_sums, ///< nothing; `bias` gets the sums over the columns of b, the gradient of a bias
};

/// c [m, n] = a [m, k] b [k, n], row-major; a and b may lie transposed in memory.
struct ProductOp {
  DeviceArray a, b, c;
  Index m = 0, n = 0, k = 0;
  bool a_transposed = false, b_transposed = false;
  Epilogue epilogue = Epilogue::none;
  DeviceArray bias = {};
  bool beside
    = false; ///< nothing before the update reads c: it may be computed beside what follows
};

/// y = f(x)
struct ActivateOp {
  DeviceArray x, y;
  Index size = 0;
  Activation kind = Activation::relu;
  float slope = 0;
};

/// d <- d f'(x), where y = f(x); x is only read where slope_needs_input().
struct SlopeOp {
  DeviceArray x, y, d;
  Index size = 0;
  Activation kind = Activation::relu;
  float slope = 0;
};

/// y = x m / (1 - rate); the same mask for each call within a step.
struct DropOp {
  DeviceArray x, y;
  Index size = 0;
  double rate = 0;
  std::uint64_t role = 0; ///< see DropoutStage
};

/// The loss of rows of predictions and its gradient.
struct LossOp {
  DeviceArray prediction, gradient;
  Index rows = 0, width = 0; ///< of the prediction
  DeviceLoss loss;
};

using DeviceOp = std::variant<ProductOp, ActivateOp, SlopeOp, DropOp, LossOp>;

struct StepProgram {
  Index batch = 0; ///< examples
  std::vector<DeviceOp> ops;
  Index workspace = 0;         ///< floats
  DeviceArray prediction = {}; ///< [rows, width]
  Index rows = 0, width = 0;
  Index input_width = 0; ///< floats of an example
};

} // namespace troupe
