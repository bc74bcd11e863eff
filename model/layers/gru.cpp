#include "troupe/model/layers/gru.hpp"

#include "troupe/model/initializers.hpp"
#include "troupe/model/layers/array.hpp"
#include "troupe/model/layers/sequence.hpp"
#include "troupe/model/product.hpp"

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
void GruLayer<Scalar>::prepare() {
  grown(product_, this->length() * this->batch() * gru_gates * this->hidden());
}

template <class Scalar>
void GruLayer<Scalar>::step(std::span<const Scalar> parameters, Index step) {
  const auto n = this->hidden(), batch = this->batch(), width = gru_gates * n;
  const auto size = static_cast<std::size_t>(n);
  auto* const products = product_.data() + step * batch * width;
  product({this->state(step), batch, n}, {this->hidden_weight(parameters), n, width},
          {products, batch, width});
  const auto u = array(parameters.subspan(hidden_bias_, size));
  for (Index b = 0; b < batch; ++b) {
    auto* const row = this->gates(step) + b * width;
    auto r_z = array(std::span{row, 2 * size}), r = array(std::span{row, size}),
         z = array(std::span{row + n, size}), candidate = array(std::span{row + 2 * n, size});
    auto* const h_u = products + b * width;
    auto h_u_n = array(std::span{h_u + 2 * n, size});
    const auto h = array(std::span{this->state(step) + b * n, size});
    r_z = (r_z + array(std::span{h_u, 2 * size})).logistic();
    h_u_n += u;
    candidate = (candidate + r * h_u_n).tanh();
    array(std::span{this->state(step + 1) + b * n, size}) = candidate + z * (h - candidate);
  }
}

template <class Scalar>
void GruLayer<Scalar>::step_back(std::span<const Scalar> parameters, Index step, Scalar* dh) {
  const auto n = this->hidden(), batch = this->batch(), width = gru_gates * n;
  auto* const dp = product_gradient_.data() + step * batch * width;
  for (Index b = 0; b < batch; ++b) {
    const auto *r = this->gates(step) + b * width, *z = r + n, *candidate = z + n;
    const auto* h_u_n = product_.data() + (step * batch + b) * width + 2 * n;
    const auto* h = this->state(step) + b * n;
    auto *dr = this->gates_gradient(step) + b * width, *dz = dr + n, *dn = dz + n;
    auto *dp_r = dp + b * width, *dp_z = dp_r + n, *dp_n = dp_z + n;
    for (Index j = 0; j < n; ++j) {
      const auto dh_j = dh[b * n + j];
      const auto dn_j = dh_j * (1 - z[j]) * (1 - candidate[j] * candidate[j]);
      dn[j] = dn_j;
      dp_n[j] = dn_j * r[j];
      dr[j] = dp_r[j] = dn_j * h_u_n[j] * r[j] * (1 - r[j]);
      dz[j] = dp_z[j] = dh_j * (h[j] - candidate[j]) * z[j] * (1 - z[j]);
      dh[b * n + j] = dh_j * z[j];
    }
  }
  product({dp, batch, width}, transposed(Factor<Scalar>{this->hidden_weight(parameters), n, width}),
          {dh, batch, n}, Write::add);
}

template <class Scalar>
void GruLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  const auto n = this->hidden(), rows = this->length() * this->batch(), width = gru_gates * n;
  grown(product_gradient_, rows * width);
  RecurrentLayer<Scalar>::backward(pass);
  auto du = array(pass.gradient.subspan(hidden_bias_, n));
  du.setZero();
  for (Index i = 0; i < rows; ++i)
    du += array(std::span<const Scalar>{product_gradient_.data() + i * width + 2 * n,
                                        static_cast<std::size_t>(n)});
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> GruLayer<Scalar>::clone() const {
  return std::make_unique<GruLayer>(*this);
}

template class GruLayer<float>;
template class GruLayer<double>;

} // namespace troupe
