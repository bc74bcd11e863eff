#include "model/layers/recurrent/gru.hpp"

#include "model/kernels/product.hpp"
#include "model/layers/array.hpp"
#include "model/layers/initializers.hpp"
#include "model/layers/recurrent/recurrent_kind.hpp"
#include "model/layers/sequence.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr Index gru_gates = 3;

} // namespace

template <class Scalar>
GruLayer<Scalar>::GruLayer(Index hidden, RecurrentOptions options)
  : RecurrentLayer<Scalar>(hidden, gru_gates, options),
    initializer_(std::move(options.initializer)) {}

template <class Scalar>
Shape GruLayer<Scalar>::connect(const Shape& input, const std::string& prefix, Layout& layout) {
  auto output = RecurrentLayer<Scalar>::connect(input, prefix, layout);
  prefix_ = prefix;
  hidden_bias_ = layout.add(prefix + ".hidden_bias", {this->hidden()});
  return output;
}

template <class Scalar>
void GruLayer<Scalar>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  RecurrentLayer<Scalar>::initialize(parameters, key);
  initialize_biases(initializer_, parameters.subspan(hidden_bias_, this->hidden()), this->hidden(),
                    key.derive(prefix_ + ".hidden_bias"));
}

template <class Scalar>
void GruLayer<Scalar>::prepare(std::span<const Scalar>) {
  grown(product_, this->kept_steps() * this->batch() * gru_gates * this->hidden());
}

template <class Scalar>
void GruLayer<Scalar>::step(std::span<const Scalar> parameters, Index step) {
  const auto n = this->hidden(), batch = this->batch(), width = gru_gates * n;
  const auto size = static_cast<std::size_t>(n);
  const auto b_r_z = array(this->bias(parameters).first(2 * size)),
             b_n = array(this->bias(parameters).last(size)),
             u = array(parameters.subspan(hidden_bias_, size));
  for (Index b = 0; b < batch; ++b) {
    auto* const row = this->gates(step) + b * width;
    auto r_z = array(std::span{row, 2 * size}), r = array(std::span{row, size}),
         z = array(std::span{row + n, size}), candidate = array(std::span{row + 2 * n, size});
    auto* const h_u = hidden_product(step) + b * width;
    auto h_u_n = array(std::span{h_u + 2 * n, size});
    const auto h = array(std::span{this->state(step) + b * n, size});
    r_z = (r_z + b_r_z + array(std::span{h_u, 2 * size})).logistic();
    h_u_n += u;
    candidate = (candidate + b_n + r * h_u_n).tanh();
    array(std::span{this->state(step + 1) + b * n, size}) = candidate + z * (h - candidate);
  }
}

template <class Scalar>
void GruLayer<Scalar>::step_backward(Index step, Scalar* dh) {
  const auto n = this->hidden(), batch = this->batch(), width = gru_gates * n;
  auto* const gradients = this->gates_gradient(step);
  auto* const dp = this->in_stretch(product_gradient_, step);
  auto du = array(std::span<Scalar>{hidden_bias_gradient_});
  const auto size = static_cast<std::size_t>(n);
  for (Index b = 0; b < batch; ++b) {
    const auto* const row = this->gates(step) + b * width;
    const auto r = array(std::span{row, size}), z = array(std::span{row + n, size}),
               candidate = array(std::span{row + 2 * n, size});
    const auto h_u_n
      = array(std::span<const Scalar>{product_.data() + (step * batch + b) * width + 2 * n, size});
    const auto h = array(std::span<const Scalar>{this->state(step) + b * n, size});
    auto* const gradient = gradients + b * width;
    auto* const products = dp + b * width;
    if (!this->reads(step, b)) {
      std::fill_n(gradient, width, Scalar{0});
      std::fill_n(products, width, Scalar{0});
      continue;
    }
    auto d_r = array(std::span{gradient, size}), d_z = array(std::span{gradient + n, size}),
         d_n = array(std::span{gradient + 2 * n, size});
    auto d_h = array(std::span{dh + b * n, size});
    d_n = d_h * (1 - z) * (1 - candidate.square());
    d_r = d_n * h_u_n * r * (1 - r);
    d_z = d_h * (h - candidate) * z * (1 - z);
    d_h *= z;
    array(std::span{products, 2 * size}) = array(std::span{gradient, 2 * size});
    auto d_h_u_n = array(std::span{products + 2 * n, size});
    d_h_u_n = d_n * r;
    du += d_h_u_n;
  }
}

template <class Scalar>
void GruLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  const auto n = static_cast<std::size_t>(this->hidden());
  this->grow_stretch(product_gradient_, gru_gates * this->hidden());
  hidden_bias_gradient_.assign(n, Scalar{0});
  RecurrentLayer<Scalar>::backward(pass);
  array(pass.gradient.subspan(hidden_bias_, n)) = array(std::span<Scalar>{hidden_bias_gradient_});
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> GruLayer<Scalar>::clone() const {
  return std::make_unique<GruLayer>(*this);
}

template class GruLayer<float>;
template class GruLayer<double>;

namespace {

const RegisterLayer gru_kind{recurrent_kind<GruLayer<float>>("gru")};

} // namespace

} // namespace troupe
