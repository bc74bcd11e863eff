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

namespace troupe {

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

// Subtracts the largest score first, so that no exponential overflows. Positions that a causal
// layer must not see get probability 0, which makes their gradient 0 as well.
template <class Scalar>
void MultiHeadAttentionLayer<Scalar>::softmax(Scalar* scores) const {
  const auto scale = 1 / std::sqrt(static_cast<Scalar>(head_width()));
  for (Index i = 0; i < length_; ++i) {
    const auto seen = options_.causal ? i + 1 : length_;
    auto* const row = scores + i * length_;
    auto p = array(std::span{row, static_cast<std::size_t>(seen)});
    const auto largest = p.maxCoeff();
    p = ((p - largest) * scale).exp();
    p /= p.sum();
    std::fill(row + seen, row + length_, Scalar{0});
  }
}

// ds = p (dp - sum_j dp_j p_j) / sqrt(d)
template <class Scalar>
void MultiHeadAttentionLayer<Scalar>::softmax_back(const Scalar* p, Scalar* dp) const {
  const auto scale = 1 / std::sqrt(static_cast<Scalar>(head_width()));
  const auto n = static_cast<std::size_t>(length_);
  for (Index i = 0; i < length_; ++i) {
    const auto row = array(std::span{p + i * length_, n});
    auto d = array(std::span{dp + i * length_, n});
    const auto mean = (d * row).sum();
    d = row * (d - mean) * scale;
  }
}

template <class Scalar>
void MultiHeadAttentionLayer<Scalar>::attend(Index example, Index head) {
  const auto d = head_width(), n = length_, stride = 3 * width_;
  const auto* const q = projected_.data() + example * n * stride + head * d;
  const Factor<Scalar> query{q, n, d, stride}, keys{q + width_, n, d, stride},
    values{q + 2 * width_, n, d, stride};
  auto* const p = probabilities_.data() + (example * options_.heads + head) * n * n;
  product(query, transposed(keys), {p, n, n});
  softmax(p);
  product({p, n, n}, values, {mixed_.data() + example * n * width_ + head * d, n, d, width_});
}

template <class Scalar>
void MultiHeadAttentionLayer<Scalar>::forward(std::span<const Scalar> parameters,
                                              std::span<const Scalar> x, std::span<Scalar> y) {
  const auto size = static_cast<Index>(x.size()), batch = size / (length_ * width_);
  auto* const projected = grown(projected_, 3 * size);
  auto* const mixed = grown(mixed_, size);
  grown(probabilities_, batch * options_.heads * length_ * length_);
  projections_[0].forward(parameters, x, {projected, 3 * x.size()});
  for (Index example = 0; example < batch; ++example)
    for (Index head = 0; head < options_.heads; ++head)
      attend(example, head);
  projections_[1].forward(parameters, {mixed, x.size()}, y);
}

template <class Scalar>
void MultiHeadAttentionLayer<Scalar>::attend_backward(Index example, Index head,
                                                      const Scalar* mixed_gradient) {
  const auto d = head_width(), n = length_, stride = 3 * width_;
  const auto at = example * n * stride + head * d;
  const auto *const q = projected_.data() + at, *const k = q + width_, *const v = k + width_;
  auto *const dq = projected_gradient_.data() + at, *const dk = dq + width_,
              *const dv = dk + width_;
  const auto* const p = probabilities_.data() + (example * options_.heads + head) * n * n;
  auto* const ds = score_gradient_.data();
  const Factor<Scalar> dm{mixed_gradient + example * n * width_ + head * d, n, d, width_};
  product(transposed(Factor<Scalar>{p, n, n}), dm, {dv, n, d, stride});
  product(dm, transposed(Factor<Scalar>{v, n, d, stride}), {ds, n, n});
  softmax_back(p, ds);
  product({ds, n, n}, {k, n, d, stride}, {dq, n, d, stride});
  product(transposed(Factor<Scalar>{ds, n, n}), {q, n, d, stride}, {dk, n, d, stride});
}

template <class Scalar>
void MultiHeadAttentionLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  const auto size = static_cast<Index>(pass.x.size()), batch = size / (length_ * width_);
  auto* const dm = grown(mixed_gradient_, size);
  auto* const dp = grown(projected_gradient_, 3 * size);
  grown(score_gradient_, length_ * length_);
  projections_[1].backward({.parameters = pass.parameters,
                            .x = {mixed_.data(), pass.x.size()},
                            .y = {},
                            .dy = pass.dy,
                            .dx = {dm, pass.x.size()},
                            .gradient = pass.gradient});
  for (Index example = 0; example < batch; ++example)
    for (Index head = 0; head < options_.heads; ++head)
      attend_backward(example, head, dm);
  projections_[0].backward({.parameters = pass.parameters,
                            .x = pass.x,
                            .y = {},
                            .dy = {dp, 3 * pass.x.size()},
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
