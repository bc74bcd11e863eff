#include "model/layers/attention/transformer_block.hpp"

#include "model/layers/array.hpp"
#include "model/layers/layer_kind.hpp"
#include "model/layers/sequence.hpp"

#include <stdexcept>

namespace troupe {

template <class Scalar>
TransformerBlock<Scalar>::TransformerBlock(TransformerOptions options)
  : options_(std::move(options)),
    attention_({options_.heads, options_.causal, options_.initializer}) {
  if (options_.mlp_width < 0)
    throw std::invalid_argument("a transformer_block has mlp_width "
                                + std::to_string(options_.mlp_width)
                                + "; give it at least 1, or 0 for four times the width");
}

template <class Scalar>
Shape TransformerBlock<Scalar>::connect(const Shape& input, const std::string& prefix,
                                        Layout& layout) {
  check_sequence("transformer_block '" + prefix + "'", "[any, length, width]", input);
  width_ = input[2];
  mlp_width_ = options_.mlp_width > 0 ? options_.mlp_width : 4 * width_;
  mlp_ = {LinearLayer<Scalar>{mlp_width_, options_.initializer},
          LinearLayer<Scalar>{width_, options_.initializer}};
  norm1_.connect(input, prefix + ".norm1", layout);
  attention_.connect(input, prefix + ".attention", layout);
  norm2_.connect(input, prefix + ".norm2", layout);
  const auto expanded = mlp_[0].connect(input, prefix + ".mlp1", layout);
  return mlp_[1].connect(expanded, prefix + ".mlp2", layout);
}

template <class Scalar>
void TransformerBlock<Scalar>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  norm1_.initialize(parameters, key);
  attention_.initialize(parameters, key);
  norm2_.initialize(parameters, key);
  for (const auto& layer : mlp_)
    layer.initialize(parameters, key);
}

template <class Scalar>
void TransformerBlock<Scalar>::begin(const PassContext& context) {
  context_ = context;
  norm1_.begin(context);
  attention_.begin(context);
  norm2_.begin(context);
}

template <class Scalar>
void TransformerBlock<Scalar>::forward(std::span<const Scalar> parameters,
                                       std::span<const Scalar> x, std::span<Scalar> y) {
  const auto size = x.size(), expanded_size = size / width_ * mlp_width_;
  auto* const scratch = context_.forward_scratch();
  const auto n1 = normalized1_.take(scratch, size), a = attended_.take(scratch, size),
             n2 = normalized2_.take(scratch, size),
             expanded = expanded_.take(scratch, expanded_size),
             activated = activated_.take(scratch, expanded_size);
  norm1_.forward(parameters, x, n1);
  attention_.forward(parameters, n1, a);
  array(a) += array(x);
  norm2_.forward(parameters, a, n2);
  mlp_[0].forward(parameters, n2, expanded);
  gelu_.forward(parameters, expanded, activated);
  mlp_[1].forward(parameters, activated, y);
  array(y) += array(std::span<const Scalar>{a});
}

template <class Scalar>
void TransformerBlock<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  const auto size = pass.x.size(), expanded_size = size / width_ * mlp_width_;
  const auto expanded = expanded_.numbers(), activated = activated_.numbers(),
             n1 = normalized1_.numbers(), n2 = normalized2_.numbers();
  auto* const scratch = context_.scratch;
  const auto d = gradient_.take(scratch, size), da = attended_gradient_.take(scratch, size),
             dm = activated_gradient_.take(scratch, expanded_size),
             de = expanded_gradient_.take(scratch, expanded_size);
  const auto back = [&pass](Layer<Scalar>& layer, std::span<const Scalar> x,
                            std::span<const Scalar> dy, std::span<Scalar> dx) {
    layer.backward({.parameters = pass.parameters,
                    .x = x,
                    .y = {},
                    .dy = dy,
                    .dx = dx,
                    .gradient = pass.gradient});
  };
  back(mlp_[1], activated, pass.dy, dm);
  back(gelu_, expanded, dm, de);
  back(mlp_[0], n2, de, d);
  back(norm2_, {}, d, da);
  array(da) += array(pass.dy);
  back(attention_, n1, da, d);
  back(norm1_, {}, d, pass.dx);
  if (!pass.dx.empty())
    array(pass.dx) += array(std::span<const Scalar>{da});
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> TransformerBlock<Scalar>::clone() const {
  return std::make_unique<TransformerBlock>(*this);
}

template class TransformerBlock<float>;
template class TransformerBlock<double>;

namespace {

const RegisterLayer transformer_block_kind{
  layer_kind<TransformerBlock<float>, TransformerOptions>("transformer_block", "heads")};

} // namespace

} // namespace troupe
