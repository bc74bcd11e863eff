#pragma once

#include "model/tensor/buffer.hpp"
#include "model/tensor/random.hpp"

#include <vector>

namespace troupe {

/// One field of a batch, row-major [size, width]. Numbers are in `values`, classes in `classes`;
/// the other one is empty.
template <class Scalar>
struct BasicBatchField {
  Buffer<Scalar> values;        ///< size x width numbers; empty for classes
  Buffer<std::int32_t> classes; ///< size x width classes, or masked_class; empty for numbers
  TROUPE_FIELDS(values, classes);
};

/// Some examples: fields in the order of the problem's DataSpec. Reused from step to step.
template <class Scalar>
struct BasicBatch {
  Index size = 0;                               ///< examples
  std::vector<BasicBatchField<Scalar>> inputs;  ///< one for each of DataSpec::inputs
  std::vector<BasicBatchField<Scalar>> targets; ///< one for each of DataSpec::targets
  RandomKey noise;        ///< for random numbers in training (dropout); set by the trainer
  bool continues = false; ///< each example continues the one at its place in the previous batch
  TROUPE_FIELDS(size, inputs, targets, noise, continues);
};

/// The batch of training. Tests of models in double use BasicBatch<double>.
using Batch = BasicBatch<float>;

} // namespace troupe
