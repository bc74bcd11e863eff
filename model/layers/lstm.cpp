#include "troupe/model/layers/lstm.hpp"

#include "troupe/model/layers/array.hpp"
#include "troupe/model/layers/sequence.hpp"
#include "troupe/model/product.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr Index lstm_gates = 4;

} // namespace

template <class Scalar>
LstmLayer<Scalar>::LstmLayer(Index hidden, RecurrentOptions options)
  : RecurrentLayer<Scalar>(hidden, lstm_gates, std::move(options)) {}

template <class Scalar>
void LstmLayer<Scalar>::prepare() {
  const auto state = this->batch() * this->hidden();
  std::fill_n(grown(cell_, (this->length() + 1) * state), state, Scalar{0});
  grown(cell_tanh_, this->length() * state);
  grown(cell_gradient_, state);
}

template <class Scalar>
void LstmLayer<Scalar>::step(std::span<const Scalar> parameters, Index step) {
  const auto n = this->hidden(), batch = this->batch(), width = lstm_gates * n;
  const auto size = static_cast<std::size_t>(n);
  product({this->state(step), batch, n}, {this->hidden_weight(parameters), n, width},
          {this->gates(step), batch, width}, Write::add);
  for (Index b = 0; b < batch; ++b) {
    auto* const row = this->gates(step) + b * width;
    auto i_f = array(std::span{row, 2 * size}), i = array(std::span{row, size}),
         f = array(std::span{row + n, size}), g = array(std::span{row + 2 * n, size}),
         o = array(std::span{row + 3 * n, size});
    const auto at = (step * batch + b) * n;
    const auto c_before = array(std::span{cell_.data() + at, size});
    auto c = array(std::span{cell_.data() + at + batch * n, size});
    auto c_tanh = array(std::span{cell_tanh_.data() + at, size});
    i_f = i_f.logistic();
    g = g.tanh();
    o = o.logistic();
    c = f * c_before + i * g;
    c_tanh = c.tanh();
    array(std::span{this->state(step + 1) + b * n, size}) = o * c_tanh;
  }
}

template <class Scalar>
void LstmLayer<Scalar>::step_back(std::span<const Scalar> parameters, Index step, Scalar* dh) {
  const auto n = this->hidden(), batch = this->batch(), width = lstm_gates * n;
  auto* const dc = cell_gradient_.data();
  if (step + 1 == this->length())
    std::fill_n(dc, batch * n, Scalar{0});
  for (Index b = 0; b < batch; ++b) {
    const auto *i = this->gates(step) + b * width, *f = i + n, *g = f + n, *o = g + n;
    auto *di = this->gates_gradient(step) + b * width, *df = di + n, *dg = df + n, *d_o = dg + n;
    const auto* c_before = cell_.data() + (step * batch + b) * n;
    const auto* c_tanh = cell_tanh_.data() + (step * batch + b) * n;
    for (Index j = 0; j < n; ++j) {
      const auto dh_j = dh[b * n + j], t = c_tanh[j];
      const auto dc_j = dc[b * n + j] + dh_j * o[j] * (1 - t * t);
      di[j] = dc_j * g[j] * i[j] * (1 - i[j]);
      df[j] = dc_j * c_before[j] * f[j] * (1 - f[j]);
      dg[j] = dc_j * i[j] * (1 - g[j] * g[j]);
      d_o[j] = dh_j * t * o[j] * (1 - o[j]);
      dc[b * n + j] = dc_j * f[j];
    }
  }
  product({this->gates_gradient(step), batch, width},
          transposed(Factor<Scalar>{this->hidden_weight(parameters), n, width}), {dh, batch, n});
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> LstmLayer<Scalar>::clone() const {
  return std::make_unique<LstmLayer>(*this);
}

template class LstmLayer<float>;
template class LstmLayer<double>;

} // namespace troupe
