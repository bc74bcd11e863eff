#include "cuda/card_memory.hpp"
#include "cuda/kernels.hpp"

namespace troupe {

namespace {

constexpr int block_threads = 256;
constexpr unsigned all_lanes = 0xffffffffu;

void check_launch(const char* what) { check_cuda(cudaGetLastError(), what); }

/// Blocks of a loop over `size` elements.
unsigned blocks_of(Index size) {
  const auto blocks = (size + block_threads - 1) / block_threads;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks > 1056 ? 1056 : blocks);
}

__device__ Index first_element() {
  return static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ Index element_stride() { return static_cast<Index>(gridDim.x) * blockDim.x; }

/// The sum over the block's threads, the same bits in each run; in thread 0 only.
__device__ double sum_of_block(double value, double* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  const auto sum = shared[0];
  __syncthreads();
  return sum;
}

__device__ float sum_of_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(all_lanes, value, distance);
  return value;
}

__device__ double sum_of_warp(double value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(all_lanes, value, distance);
  return value;
}

__device__ float largest_of_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(all_lanes, value, distance));
  return value;
}

/// Whether a step before step k was bad, so that step k is dropped.
__device__ bool failed_before(const CardState& state, int k) {
  auto failed = state.failed != 0;
  for (int i = 0; i < k; ++i)
    failed = failed || state.bad_before[i] != 0 || state.bad_in[i] != 0;
  return failed;
}

// -- state ---------------------------------------------------------------------------------------

__global__ void set_state_kernel(CardState* state, std::uint64_t cursor, std::uint64_t taken) {
  state->cursor = cursor;
  state->taken = taken;
  state->failed = 0;
  for (int k = 0; k < most_steps; ++k) {
    state->bad_before[k] = state->bad_in[k] = 0;
    state->counts[k] = 0;
  }
}

__global__ void clear_bad_kernel(CardState* state) { state->bad_before[0] = state->bad_in[0] = 0; }

__global__ void set_rule_kernel(OptimizerRule* to, OptimizerRule rule) { *to = rule; }

__global__ void begin_step_kernel(const CardState* state, int k, const OptimizerRule* rule,
                                  const UpdateRange* ranges, int count, ElementUpdate* to) {
  const auto step = static_cast<double>(state->taken + static_cast<std::uint64_t>(k) + 1);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    to[i] = element_update(*rule, ranges[i].learning_rate, ranges[i].weight_decay, step);
}

// -- data ----------------------------------------------------------------------------------------

/// One block for each example of the batch.
__global__ void gather_rows_kernel(GatherArguments from, const CardState* state, int k) {
  __shared__ Index shared_place;
  if (threadIdx.x == 0) {
    const auto cursor = state->cursor + static_cast<std::uint64_t>(k);
    const auto epoch = cursor / from.batches_per_epoch;
    auto place = (cursor % from.batches_per_epoch) * static_cast<std::uint64_t>(from.batch_size)
                 + blockIdx.x;
    if (from.shuffle) {
      auto keys = from.permutation;
      set_rounds(keys, key_of_number(from.order, epoch));
      place = permuted(keys, place);
    }
    shared_place = static_cast<Index>(place);
  }
  __syncthreads();
  const auto place = shared_place, row = static_cast<Index>(blockIdx.x);
  for (Index i = threadIdx.x; i < from.input_width; i += blockDim.x)
    from.to_inputs[row * from.input_width + i] = from.inputs[place * from.input_width + i];
  for (Index i = threadIdx.x; i < from.target_width; i += blockDim.x) {
    const auto to = row * from.target_width + i, at = place * from.target_width + i;
    if (from.classes != nullptr)
      from.to_classes[to] = from.classes[at];
    else
      from.to_values[to] = from.values[at];
  }
}

// -- layers --------------------------------------------------------------------------------------

__global__ void activate_kernel(Activation kind, float slope, Index size, const float* x,
                                float* y) {
  for (auto i = first_element(); i < size; i += element_stride())
    y[i] = activated(kind, x[i], slope);
}

__global__ void multiply_slope_kernel(Activation kind, float slope, Index size, const float* x,
                                      const float* y, float* d) {
  for (auto i = first_element(); i < size; i += element_stride())
    d[i] *= activation_slope(kind, x[i], y[i], slope);
}

__global__ void drop_kernel(const CardState* state, int k, std::uint64_t noise, std::uint64_t role,
                            std::uint32_t limit, float kept, Index size, const float* x, float* y) {
  const auto key
    = key_of_role(key_of_number(noise, state->cursor + static_cast<std::uint64_t>(k)), role);
  for (auto i = first_element(); i < size; i += element_stride())
    y[i] = bits_at(key, static_cast<std::uint64_t>(i)) < limit ? 0.0f : x[i] * kept;
}

__global__ void add_bias_kernel(float* c, const float* bias, Index size, Index columns, bool relu) {
  for (auto i = first_element(); i < size; i += element_stride()) {
    const auto value = c[i] + bias[i % columns];
    c[i] = relu && value < 0 ? 0.0f : value;
  }
}

constexpr int column_width = 32, column_height = 8;

/// A block sums 32 columns.
__global__ void sum_columns_kernel(const float* x, Index rows, Index columns, float* to) {
  __shared__ float parts[column_height][column_width];
  const auto column = static_cast<Index>(blockIdx.x) * column_width + threadIdx.x;
  float sum = 0;
  if (column < columns)
    for (Index row = threadIdx.y; row < rows; row += column_height)
      sum += x[row * columns + column];
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= columns)
    return;
  for (int i = 1; i < column_height; ++i)
    sum += parts[i][threadIdx.x];
  to[column] = sum;
}

// -- losses --------------------------------------------------------------------------------------

constexpr std::int32_t masked_row = -1;

__global__ void count_kernel(LossArguments a, CardState* state, int k) {
  __shared__ double shared[block_threads];
  double count = 0;
  if (a.loss.on_classes()) {
    for (Index i = threadIdx.x; i < a.rows; i += blockDim.x)
      count += a.classes[i] != masked_row ? 1 : 0;
  } else {
    for (Index i = threadIdx.x; i < a.rows * a.width; i += blockDim.x)
      count += is_masked(a.loss.element, static_cast<double>(a.values[i])) ? 0 : 1;
  }
  const auto sum = sum_of_block(count, shared);
  if (threadIdx.x == 0)
    state->counts[k] = sum;
}

/// A warp computes a row.
__device__ double class_loss(const LossArguments& a, Index row, int lane, double count) {
  const auto n = a.width;
  const auto* z = a.prediction + row * n;
  auto* dz = a.gradient + row * n;
  const auto c = static_cast<Index>(a.classes[row]);
  if (a.loss.kind == DeviceLoss::Kind::negative_log_likelihood) {
    for (Index j = lane; j < n; j += 32)
      dz[j] = j == c ? -1 / static_cast<float>(count) : 0.0f;
    return -static_cast<double>(z[c]);
  }
  if (c == masked_row) {
    for (Index j = lane; j < n; j += 32)
      dz[j] = 0;
    return 0;
  }
  auto largest = z[0];
  for (Index j = lane; j < n; j += 32)
    largest = fmaxf(largest, z[j]);
  largest = largest_of_warp(largest);
  float exponentials = 0;
  double shifted = 0;
  for (Index j = lane; j < n; j += 32) {
    exponentials += expf(z[j] - largest);
    shifted += static_cast<double>(z[j] - largest);
  }
  exponentials = sum_of_warp(exponentials);
  shifted = sum_of_warp(shifted);
  const auto dealt = static_cast<float>(a.loss.label_smoothing / static_cast<double>(n));
  const auto kept = static_cast<float>(1 - a.loss.label_smoothing);
  const auto factor = 1 / (exponentials * static_cast<float>(count));
  const auto share = dealt / static_cast<float>(count);
  for (Index j = lane; j < n; j += 32) {
    const auto d = expf(z[j] - largest) * factor - share;
    dz[j] = j == c ? d - kept / static_cast<float>(count) : d;
  }
  return static_cast<double>(logf(exponentials))
         - static_cast<double>(kept) * static_cast<double>(z[c] - largest)
         - static_cast<double>(dealt) * shifted;
}

__device__ double number_loss(const LossArguments& a, Index row, int lane, double count) {
  double total = 0;
  for (Index j = lane; j < a.width; j += 32) {
    const auto i = row * a.width + j;
    const auto p = static_cast<double>(a.prediction[i]), y = static_cast<double>(a.values[i]);
    ElementTerm term;
    if (a.loss.kind == DeviceLoss::Kind::mean_squared_error) {
      const auto error = a.prediction[i] - a.values[i];
      term = {static_cast<double>(error) * error, 2.0 * error};
    } else if (!is_masked(a.loss.element, y)) {
      term = element_term(a.loss.element, p, y);
    }
    total += term.value;
    a.gradient[i] = static_cast<float>(count == 0 ? 0.0 : term.slope / count);
  }
  return sum_of_warp(total);
}

__global__ void loss_kernel(LossArguments a, CardState* state, int k, bool checked) {
  const auto lane = static_cast<int>(threadIdx.x % 32);
  const auto row = static_cast<Index>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= a.rows)
    return;
  const auto all = static_cast<double>(a.loss.on_classes() ? a.rows : a.rows * a.width);
  const auto count = a.loss.masked ? state->counts[k] : all;
  const auto loss
    = a.loss.on_classes() ? class_loss(a, row, lane, count) : number_loss(a, row, lane, count);
  if (lane != 0)
    return;
  a.row_losses[row] = loss;
  if (checked && !isfinite(loss))
    state->bad_before[k] = 1;
}

// -- the update ----------------------------------------------------------------------------------

__global__ void prepare_gradient_kernel(float* gradient, Index size, bool remove, float limit) {
  for (auto i = first_element(); i < size; i += element_stride()) {
    auto g = gradient[i];
    if (remove && !isfinite(g))
      g = 0;
    if (limit > 0) {
      g = g > limit ? limit : g;
      g = g < -limit ? -limit : g;
    }
    gradient[i] = g;
  }
}

/// A block clips a parameter.
__global__ void clip_parameters_kernel(float* gradient, const UpdateRange* ranges, double limit,
                                       CardState* state, int k) {
  __shared__ double shared[block_threads];
  __shared__ double shared_norm;
  const auto range = ranges[blockIdx.x];
  auto* g = gradient + range.begin;
  double squares = 0;
  for (Index i = threadIdx.x; i < range.size; i += blockDim.x)
    squares += static_cast<double>(g[i]) * static_cast<double>(g[i]);
  const auto sum = sum_of_block(squares, shared);
  if (threadIdx.x == 0)
    shared_norm = sqrt(sum);
  __syncthreads();
  const auto norm = shared_norm;
  if (!isfinite(norm)) {
    if (threadIdx.x == 0)
      state->bad_before[k] = 1;
    return;
  }
  if (norm > limit)
    for (Index i = threadIdx.x; i < range.size; i += blockDim.x)
      g[i] *= static_cast<float>(limit / norm);
}

__global__ void norm_parts_kernel(const float* gradient, Index size, double* to) {
  __shared__ double shared[block_threads];
  double squares = 0;
  for (auto i = first_element(); i < size; i += element_stride())
    squares += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
  const auto sum = sum_of_block(squares, shared);
  if (threadIdx.x == 0)
    to[blockIdx.x] = sum;
}

template <UpdateKind kind>
__global__ void update_kernel(UpdateArguments a, CardState* state, int k) {
  __shared__ double shared[block_threads];
  __shared__ float shared_factor;
  __shared__ bool shared_skipped;
  double squares = 0;
  if (a.norm.partials != nullptr) { // each block computes the same norm
    for (int i = static_cast<int>(threadIdx.x); i < a.norm.count; i += block_threads)
      squares += a.norm.partials[i];
    squares = sum_of_block(squares, shared);
  }
  if (threadIdx.x == 0) {
    const auto norm = sqrt(squares);
    const auto checked = a.nan == DeviceNan::stop || a.nan == DeviceNan::skip;
    const auto bad = checked && (state->bad_before[k] != 0 || !isfinite(norm));
    if (bad && blockIdx.x == 0)
      state->bad_in[k] = 1;
    shared_skipped = bad || (a.nan == DeviceNan::stop && failed_before(*state, k));
    const auto clipped = a.norm.limit > 0 && isfinite(norm) && norm > a.norm.limit;
    shared_factor = clipped ? static_cast<float>(a.norm.limit / norm) : 1.0f;
  }
  __syncthreads();
  if (shared_skipped)
    return;
  const auto u = *a.update;
  const auto factor = shared_factor;
  for (auto i = first_element(); i < a.size; i += element_stride()) {
    const auto at = a.begin + i;
    auto g = a.gradient[at];
    if (factor != 1) {
      g *= factor;
      a.gradient[at] = g; // shown to extensions
    }
    if (a.nan == DeviceNan::stop && !isfinite(g)) { // this element stays; the next step is dropped
      state->bad_in[k] = 1;
      continue;
    }
    float first = 0, second = 0;
    if constexpr (slots_of(kind) > 0)
      first = a.slot0[at];
    if constexpr (slots_of(kind) > 1)
      second = a.slot1[at];
    a.parameters[at] = moved<kind>(u, a.parameters[at], g, first, second);
    if constexpr (slots_of(kind) > 0)
      a.slot0[at] = first;
    if constexpr (slots_of(kind) > 1)
      a.slot1[at] = second;
  }
}

__global__ void finish_step_kernel(CardState* state, int k, int steps, const double* row_losses,
                                   Index rows, double weight, DeviceNan nan, StepOutput* ring,
                                   int ring_size) {
  __shared__ double shared[block_threads];
  double part = 0;
  for (Index i = threadIdx.x; i < rows; i += blockDim.x)
    part += row_losses[i];
  const auto sum = sum_of_block(part, shared);
  if (threadIdx.x != 0)
    return;
  const auto number = state->outputs + static_cast<std::uint64_t>(k);
  StepOutput output;
  output.loss_sum = sum;
  output.weight = weight > 0 ? weight : state->counts[k];
  output.dropped = nan == DeviceNan::stop && failed_before(*state, k);
  output.bad = !output.dropped && (state->bad_before[k] != 0 || state->bad_in[k] != 0);
  ring[number % static_cast<std::uint64_t>(ring_size)] = output;
  if (k + 1 != steps)
    return;
  const auto failed = nan == DeviceNan::stop && failed_before(*state, steps);
  const auto skipped = nan == DeviceNan::skip && output.bad;
  state->cursor += static_cast<std::uint64_t>(steps);
  state->outputs += static_cast<std::uint64_t>(steps);
  state->taken += skipped ? 0 : static_cast<std::uint64_t>(steps);
  state->failed = failed ? 1 : 0;
  for (int i = 0; i < most_steps; ++i)
    state->bad_before[i] = state->bad_in[i] = 0;
}

template <UpdateKind kind>
void launch_update(cudaStream_t stream, const UpdateArguments& a, CardState* state, int k) {
  update_kernel<kind><<<blocks_of(a.size), block_threads, 0, stream>>>(a, state, k);
}

} // namespace

void set_state(cudaStream_t stream, CardState* state, std::uint64_t cursor, std::uint64_t taken) {
  set_state_kernel<<<1, 1, 0, stream>>>(state, cursor, taken);
  check_launch("placing the run");
}

void clear_bad(cudaStream_t stream, CardState* state) {
  clear_bad_kernel<<<1, 1, 0, stream>>>(state);
  check_launch("taking a gradient");
}

void set_rule(cudaStream_t stream, OptimizerRule* to, const OptimizerRule& rule) {
  set_rule_kernel<<<1, 1, 0, stream>>>(to, rule);
  check_launch("setting the optimizer");
}

void begin_step(cudaStream_t stream, const CardState* state, int k, const OptimizerRule* rule,
                const UpdateRange* ranges, int count, ElementUpdate* to) {
  begin_step_kernel<<<1, 32, 0, stream>>>(state, k, rule, ranges, count, to);
  check_launch("beginning a step");
}

void gather_rows(cudaStream_t stream, const GatherArguments& from, const CardState* state, int k,
                 Index batch) {
  gather_rows_kernel<<<static_cast<unsigned>(batch), block_threads, 0, stream>>>(from, state, k);
  check_launch("gathering a batch");
}

void activate(cudaStream_t stream, const ActivateOp& op, const float* x, float* y) {
  activate_kernel<<<blocks_of(op.size), block_threads, 0, stream>>>(op.kind, op.slope, op.size, x,
                                                                    y);
  check_launch("computing an activation");
}

void multiply_slope(cudaStream_t stream, const SlopeOp& op, const float* x, const float* y,
                    float* d) {
  multiply_slope_kernel<<<blocks_of(op.size), block_threads, 0, stream>>>(op.kind, op.slope,
                                                                          op.size, x, y, d);
  check_launch("computing the gradient of an activation");
}

void drop(cudaStream_t stream, const DropOp& op, const CardState* state, int k, std::uint64_t noise,
          const float* x, float* y) {
  const auto limit = static_cast<std::uint32_t>(op.rate * 4294967296.0);
  const auto kept = static_cast<float>(1 / (1 - op.rate));
  drop_kernel<<<blocks_of(op.size), block_threads, 0, stream>>>(state, k, noise, op.role, limit,
                                                                kept, op.size, x, y);
  check_launch("computing dropout");
}

void add_bias(cudaStream_t stream, float* c, const float* bias, Index rows, Index columns,
              bool relu) {
  add_bias_kernel<<<blocks_of(rows * columns), block_threads, 0, stream>>>(c, bias, rows * columns,
                                                                           columns, relu);
  check_launch("adding a bias");
}

void sum_columns(cudaStream_t stream, const float* x, Index rows, Index columns, float* to) {
  const auto blocks = static_cast<unsigned>((columns + column_width - 1) / column_width);
  sum_columns_kernel<<<blocks, dim3{column_width, column_height}, 0, stream>>>(x, rows, columns,
                                                                               to);
  check_launch("computing the gradient of a bias");
}

void compute_loss(cudaStream_t stream, const LossArguments& loss, CardState* state, int k,
                  DeviceNan nan) {
  constexpr int threads = 128;
  if (loss.loss.masked)
    count_kernel<<<1, block_threads, 0, stream>>>(loss, state, k);
  const auto blocks = static_cast<unsigned>((loss.rows + threads / 32 - 1) / (threads / 32));
  const auto checked = nan == DeviceNan::stop || nan == DeviceNan::skip;
  loss_kernel<<<blocks, threads, 0, stream>>>(loss, state, k, checked);
  check_launch("computing the loss");
}

void prepare_gradient(cudaStream_t stream, float* gradient, Index size, bool remove, double limit) {
  prepare_gradient_kernel<<<blocks_of(size), block_threads, 0, stream>>>(gradient, size, remove,
                                                                         static_cast<float>(limit));
  check_launch("clipping a gradient");
}

void clip_parameters(cudaStream_t stream, float* gradient, const UpdateRange* ranges, int count,
                     double limit, CardState* state, int k) {
  clip_parameters_kernel<<<static_cast<unsigned>(count), block_threads, 0, stream>>>(
    gradient, ranges, limit, state, k);
  check_launch("clipping gradients");
}

int norm_parts_of(Index size) {
  const auto blocks = (size + 1023) / 1024;
  return static_cast<int>(blocks > 128 ? 128 : blocks);
}

void norm_parts(cudaStream_t stream, const float* gradient, Index size, double* to) {
  norm_parts_kernel<<<static_cast<unsigned>(norm_parts_of(size)), block_threads, 0, stream>>>(
    gradient, size, to);
  check_launch("computing the norm of a gradient");
}

void update_elements(cudaStream_t stream, UpdateKind kind, const UpdateArguments& update,
                     CardState* state, int k) {
  switch (kind) {
  case UpdateKind::sgd: launch_update<UpdateKind::sgd>(stream, update, state, k); break;
  case UpdateKind::momentum: launch_update<UpdateKind::momentum>(stream, update, state, k); break;
  case UpdateKind::nesterov: launch_update<UpdateKind::nesterov>(stream, update, state, k); break;
  case UpdateKind::adam: launch_update<UpdateKind::adam>(stream, update, state, k); break;
  case UpdateKind::rmsprop: launch_update<UpdateKind::rmsprop>(stream, update, state, k); break;
  case UpdateKind::adagrad: launch_update<UpdateKind::adagrad>(stream, update, state, k); break;
  case UpdateKind::adadelta: launch_update<UpdateKind::adadelta>(stream, update, state, k); break;
  }
  check_launch("updating the parameters");
}

void finish_step(cudaStream_t stream, CardState* state, int k, int steps, const double* row_losses,
                 Index rows, double weight, DeviceNan nan, StepOutput* ring, int ring_size) {
  finish_step_kernel<<<1, block_threads, 0, stream>>>(state, k, steps, row_losses, rows, weight,
                                                      nan, ring, ring_size);
  check_launch("finishing a step");
}

} // namespace troupe
