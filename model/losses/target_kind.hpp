#pragma once

namespace troupe {

/// What the loss compares the prediction with.
enum class TargetKind {
  same_shape,  ///< a number for each number of the prediction: mean squared error, binary
               ///< cross-entropy
  class_index, ///< one class for each row of the prediction: softmax cross-entropy
};

} // namespace troupe
