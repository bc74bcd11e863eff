// The kernels, as functions that launch them on a stream.
#pragma once

#include "model/device/device_run.hpp"

#include <cuda_runtime.h>

namespace troupe {

/// The most steps of one launch.
inline constexpr int most_steps = 8;

/// What the card knows about the run. Kernels of step k of a launch read the cursor at which the
/// launch begins and add k; the last kernel of the launch advances it.
struct CardState {
  std::uint64_t cursor = 0;                  ///< of the next batch
  std::uint64_t taken = 0;                   ///< steps that the optimizer has taken
  std::uint64_t outputs = 0;                 ///< steps that wrote an output
  std::uint32_t failed = 0;                  ///< DeviceNan::stop: an earlier launch had a bad step
  std::uint32_t bad_before[most_steps] = {}; ///< loss or norm not finite: known before the update
  std::uint32_t bad_in[most_steps] = {};     ///< a gradient not finite, found by the update
  double counts[most_steps] = {};            ///< rows or numbers that count, where some are masked
};

/// How batches are gathered from resident examples.
struct GatherArguments {
  const float* inputs;
  const std::int32_t* classes; ///< one of these two is null
  const float* values;
  float* to_inputs;
  std::int32_t* to_classes;
  float* to_values;
  Index input_width, target_width;
  Index batch_size; ///< of a full batch
  std::uint64_t batches_per_epoch;
  bool shuffle;
  std::uint64_t order;
  PermutationKeys permutation;
};

struct LossArguments {
  const float* prediction;
  float* gradient;
  const std::int32_t* classes;
  const float* values;
  Index rows, width;
  DeviceLoss loss;
  double* row_losses;
};

/// The squares of all gradients, summed in parts.
struct NormArguments {
  const double* partials = nullptr; ///< null: nobody needs the norm
  int count = 0;
  double limit = 0; ///< 0: only whether it is finite matters
};

struct UpdateArguments {
  float* parameters;
  float* gradient;
  float* slot0;
  float* slot1;
  Index begin, size;
  const ElementUpdate* update; ///< on the card
  NormArguments norm;
  DeviceNan nan;
};

void set_state(cudaStream_t, CardState* state, std::uint64_t cursor, std::uint64_t taken);
void clear_bad(cudaStream_t, CardState* state);
void set_rule(cudaStream_t, OptimizerRule* to, const OptimizerRule& rule);

void gather_rows(cudaStream_t, const GatherArguments& from, const CardState* state, int k,
                 Index batch);
/// The numbers of step k's update, one for each range.
void begin_step(cudaStream_t, const CardState* state, int k, const OptimizerRule* rule,
                const UpdateRange* ranges, int count, ElementUpdate* to);
void activate(cudaStream_t, const ActivateOp& op, const float* x, float* y);
void multiply_slope(cudaStream_t, const SlopeOp& op, const float* x, const float* y, float* d);
void drop(cudaStream_t, const DropOp& op, const CardState* state, int k, std::uint64_t noise,
          const float* x, float* y);
/// c += bias of its column, then relu where wanted.
void add_bias(cudaStream_t, float* c, const float* bias, Index rows, Index columns, bool relu);
void sum_columns(cudaStream_t, const float* x, Index rows, Index columns, float* to);
void compute_loss(cudaStream_t, const LossArguments& loss, CardState* state, int k, DeviceNan nan);

/// Sets numbers that are not finite to 0 (`remove`), and clips the rest (`limit` > 0).
void prepare_gradient(cudaStream_t, float* gradient, Index size, bool remove, double limit);
void clip_parameters(cudaStream_t, float* gradient, const UpdateRange* ranges, int count,
                     double limit, CardState* state, int k);
/// The number of partial sums that norm_parts() writes for so many elements.
int norm_parts_of(Index size);
void norm_parts(cudaStream_t, const float* gradient, Index size, double* to);
void update_elements(cudaStream_t, UpdateKind kind, const UpdateArguments& update, CardState* state,
                     int k);
/// Writes the step's output to the host's ring; the last of `steps` advances the state.
/// @param weight of the step where nothing is masked; 0: the state has it
void finish_step(cudaStream_t, CardState* state, int k, int steps, const double* row_losses,
                 Index rows, double weight, DeviceNan nan, StepOutput* ring, int ring_size);

} // namespace troupe
