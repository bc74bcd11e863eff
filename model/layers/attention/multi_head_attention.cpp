#include "model/layers/attention/multi_head_attention.hpp"

#include "model/kernels/product.hpp"
#include "model/layers/array.hpp"
#include "model/layers/checks.hpp"
#include "model/layers/initializers.hpp"
#include "model/layers/layer_kind.hpp"
#include "model/layers/sequence.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

/// Positions whose scores are computed together: few, because a causal layer computes the scores
/// among them in vain, but enough for fast products.
constexpr Index rows_at_once = 64;

/// The longest sequence for which P is kept: it then costs more to compute again than to read.
constexpr Index longest_kept = 128;

} // namespace

template <class Scalar>
MultiHeadAttentionLayer<Scalar>::MultiHeadAttentionLayer(AttentionOptions options)
  : options_(std::move(options)) {
  check_positive("a multi_head_attention layer", "heads", options_.heads);
  check_initializer(options_.initializer);
}

template <class Scalar>
Shape MultiHeadAttentionLayer<Scalar>::connect(const Shape& input, const std::string& prefix,
                                               Layout& layout) {
  const auto who = "multi_head_attention layer '" + prefix + "'";
  check_sequence(who, "[any, length, width]", input);
  length_ = input[1];
  width_ = input[2];
  if (width_ % options_.heads != 0)
    throw std::invalid_argument(who + " needs a width divisible by its "
                                + std::to_string(options_.heads) + " heads, but was given "
                                + to_string(input));
  projections_ = {LinearLayer<Scalar>{3 * width_, options_.initializer},
                  LinearLayer<Scalar>{width_, options_.initializer}};
  projections_[0].connect(input, prefix + ".query_key_value", layout);
  projections_[1].connect(input, prefix + ".output", layout);
  return input;
}

template <class Scalar>
void MultiHeadAttentionLayer<Scalar>::initialize(std::span<Scalar> parameters,
                                                 RandomKey key) const {
  for (const auto& projection : projections_)
    projection.initialize(parameters, key);
}

/// Whether P is kept for backward.
template <class Scalar>
bool MultiHeadAttentionLayer<Scalar>::keeps() const {
  return length_ <= longest_kept && context_.forward_scratch() == nullptr;
}

/// Calls function(strip) for all positions, from the last to the first: the first strip sees each
/// position that any of them sees.
template <class Scalar>
template <class Function>
void MultiHeadAttentionLayer<Scalar>::each_strip(Index example, Index head,
                                                 Function function) const {
  for (auto first = (length_ - 1) / rows_at_once * rows_at_once; first >= 0;
       first -= rows_at_once) {
    const auto rows = std::min(rows_at_once, length_ - first);
    function(Strip{example, head, first, rows, options_.causal ? first + rows : length_});
  }
}

/// @param part 0 for Q, 1 for K, 2 for V
template <class Scalar>
Factor<Scalar> MultiHeadAttentionLayer<Scalar>::projected(Index part, Index example, Index head,
                                                          Index first, Index rows) const {
  const auto d = head_width(), stride = 3 * width_;
  return {projected_.data() + (example * length_ + first) * stride + part * width_ + head * d, rows,
          d, stride};
}

template <class Scalar>
Result<Scalar> MultiHeadAttentionLayer<Scalar>::projected_gradient(Index part, Index example,
                                                                   Index head, Index first,
                                                                   Index rows) {
  const auto d = head_width(), stride = 3 * width_;
  return {projected_gradient_.data() + (example * length_ + first) * stride + part * width_
            + head * d,
          rows, d, stride};
}

/// Where the strip's part of P V begins in [batch, length, width].
template <class Scalar>
Index MultiHeadAttentionLayer<Scalar>::mixed_at(const Strip& strip) const {
  return (strip.example * length_ + strip.first) * width_ + strip.head * head_width();
}

/// The strip's rows of P, [rows, seen], valid until the next call. Subtracts the largest score
/// first, so that no exponential overflows. Positions that a causal layer must not see get
/// probability 0, which makes their gradient 0 as well.
/// @param again whether this is the second time after a forward pass
template <class Scalar>
Factor<Scalar> MultiHeadAttentionLayer<Scalar>::probabilities(const Strip& strip, bool again) {
  const auto& [example, head, first, rows, seen] = strip;
  auto* const scores
    = scores_.data()
      + (keeps() ? ((example * options_.heads + head) * length_ + first) * length_ : 0);
  if (again && keeps())
    return {scores, rows, seen};
  product(projected(0, example, head, first, rows),
          transposed(projected(1, example, head, 0, seen)), {scores, rows, seen});
  const auto scale = 1 / std::sqrt(static_cast<Scalar>(head_width()));
  for (Index i = 0; i < rows; ++i) {
    const auto own = options_.causal ? first + i + 1 : length_;
    const auto statistic = (example * options_.heads + head) * length_ + first + i;
    auto* const row = scores + i * seen;
    auto p = array(std::span{row, static_cast<std::size_t>(own)});
    if (!again)
      largest_.data()[statistic] = p.maxCoeff();
    p = ((p - largest_.data()[statistic]) * scale).exp();
    if (!again)
      sums_.data()[statistic] = p.sum();
    p /= sums_.data()[statistic];
    std::fill(row + own, row + seen, Scalar{0});
  }
  return {scores, rows, seen};
}

template <class Scalar>
void MultiHeadAttentionLayer<Scalar>::attend(const Strip& strip) {
  const auto p = probabilities(strip, false);
  product(p, projected(2, strip.example, strip.head, 0, strip.seen),
          {mixed_.data() + mixed_at(strip), strip.rows, head_width(), width_});
}

template <class Scalar>
void MultiHeadAttentionLayer<Scalar>::forward(std::span<const Scalar> parameters,
                                              std::span<const Scalar> x, std::span<Scalar> y) {
  const auto batch = static_cast<Index>(x.size()) / (length_ * width_);
  const auto rows = static_cast<std::size_t>(batch * options_.heads * length_);
  const auto length = static_cast<std::size_t>(length_);
  auto* const scratch = context_.forward_scratch();
  const auto projected = projected_.take(scratch, 3 * x.size());
  const auto mixed = mixed_.take(scratch, x.size());
  for (auto* statistic : {&largest_, &sums_})
    statistic->take(scratch, rows);
  scores_.take(scratch, (keeps() ? rows : std::size_t{rows_at_once}) * length);
  projections_[0].forward(parameters, x, projected);
  for (Index example = 0; example < batch; ++example)
    for (Index head = 0; head < options_.heads; ++head)
      each_strip(example, head, [&](const Strip& strip) { attend(strip); });
  projections_[1].forward(parameters, mixed, y);
}

// With dp = dm V':  ds = p (dp - sum_j dp_j p_j) / sqrt(d)
/// @param write how to write the gradients of K and V
template <class Scalar>
void MultiHeadAttentionLayer<Scalar>::attend_backward(const Strip& strip,
                                                      const Scalar* mixed_gradient,
                                                      WriteMode write) {
  const auto& [example, head, first, rows, seen] = strip;
  const auto p = probabilities(strip, true);
  const Factor<Scalar> dm{mixed_gradient + mixed_at(strip), rows, head_width(), width_};
  product(transposed(p), dm, projected_gradient(2, example, head, 0, seen), write);
  auto* const ds = score_gradient_.data();
  product(dm, transposed(projected(2, example, head, 0, seen)), {ds, rows, seen});
  const auto scale = 1 / std::sqrt(static_cast<Scalar>(head_width()));
  const auto n = static_cast<std::size_t>(seen);
  for (Index i = 0; i < rows; ++i) {
    const auto row = array(std::span{p.data + i * seen, n});
    auto d = array(std::span{ds + i * seen, n});
    const auto mean = (d * row).sum();
    d = row * (d - mean) * scale;
  }
  const Factor<Scalar> scores{ds, rows, seen};
  product(scores, projected(1, example, head, 0, seen),
          projected_gradient(0, example, head, first, rows));
  product(transposed(scores), projected(0, example, head, first, rows),
          projected_gradient(1, example, head, 0, seen), write);
}

template <class Scalar>
void MultiHeadAttentionLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  const auto batch = static_cast<Index>(pass.x.size()) / (length_ * width_);
  auto* const scratch = context_.scratch;
  const auto dm = mixed_gradient_.take(scratch, pass.x.size());
  const auto dp = projected_gradient_.take(scratch, 3 * pass.x.size());
  score_gradient_.take(scratch,
                       static_cast<std::size_t>(std::min(rows_at_once, length_) * length_));
  projections_[1].backward({.parameters = pass.parameters,
                            .x = mixed_.numbers(),
                            .y = {},
                            .dy = pass.dy,
                            .dx = dm,
                            .gradient = pass.gradient});
  for (Index example = 0; example < batch; ++example)
    for (Index head = 0; head < options_.heads; ++head) {
      auto write = WriteMode::replace; // the first strip sees all that the others see
      each_strip(example, head, [&](const Strip& strip) {
        attend_backward(strip, dm.data(), std::exchange(write, WriteMode::add));
      });
    }
  projections_[0].backward({.parameters = pass.parameters,
                            .x = pass.x,
                            .y = {},
                            .dy = dp,
                            .dx = pass.dx,
                            .gradient = pass.gradient});
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> MultiHeadAttentionLayer<Scalar>::clone() const {
  return std::make_unique<MultiHeadAttentionLayer>(*this);
}

template class MultiHeadAttentionLayer<float>;
template class MultiHeadAttentionLayer<double>;

namespace {

const RegisterLayer multi_head_attention_kind{
  layer_kind<MultiHeadAttentionLayer<float>, AttentionOptions>("multi_head_attention", "heads")};

} // namespace

} // namespace troupe
