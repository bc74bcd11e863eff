#include "model/layers/recurrent/lstm.hpp"

#include "model/kernels/product.hpp"
#include "model/layers/array.hpp"
#include "model/layers/recurrent/recurrent_kind.hpp"
#include "model/layers/sequence.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr Index lstm_gates = 4;

} // namespace

template <class Scalar>
LstmLayer<Scalar>::LstmLayer(Index hidden, RecurrentOptions options)
  : RecurrentLayer<Scalar>(hidden, lstm_gates, std::move(options)) {}

template <class Scalar>
Shape LstmLayer<Scalar>::connect(const Shape& input, const std::string& prefix, Layout& layout) {
  auto output = RecurrentLayer<Scalar>::connect(input, prefix, layout);
  if (this->carries())
    carried_cell_ = this->add_carried(prefix + ".carried_cell", layout);
  return output;
}

template <class Scalar>
void LstmLayer<Scalar>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  RecurrentLayer<Scalar>::initialize(parameters, key);
  if (this->carries())
    this->clear_carried(carried_cell_, parameters);
}

template <class Scalar>
void LstmLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  RecurrentLayer<Scalar>::backward(pass);
  if (this->carries())
    this->end_states(pass, carried_cell_, cell_.data());
}

template <class Scalar>
void LstmLayer<Scalar>::prepare(std::span<const Scalar> parameters) {
  const auto state = this->batch() * this->hidden();
  this->begin_states(parameters, carried_cell_, grown(cell_, (this->length() + 1) * state));
  grown(cell_gradient_, state);
}

template <class Scalar>
void LstmLayer<Scalar>::step(std::span<const Scalar> parameters, Index step) {
  const auto n = this->hidden(), batch = this->batch(), width = lstm_gates * n;
  const auto size = static_cast<std::size_t>(n);
  const auto b_i_f = array(this->bias(parameters).first(2 * size)),
             b_g = array(this->bias(parameters).subspan(2 * size, size)),
             b_o = array(this->bias(parameters).last(size));
  for (Index b = 0; b < batch; ++b) {
    auto* const row = this->gates(step) + b * width;
    auto i_f = array(std::span{row, 2 * size}), i = array(std::span{row, size}),
         f = array(std::span{row + n, size}), g = array(std::span{row + 2 * n, size}),
         o = array(std::span{row + 3 * n, size});
    const auto at = (step * batch + b) * n;
    const auto c_before = array(std::span{cell_.data() + at, size});
    auto c = array(std::span{cell_.data() + at + batch * n, size});
    i_f = (i_f + b_i_f).logistic();
    g = (g + b_g).tanh();
    o = (o + b_o).logistic();
    c = f * c_before + i * g;
    array(std::span{this->state(step + 1) + b * n, size}) = o * c.tanh();
  }
}

template <class Scalar>
void LstmLayer<Scalar>::keep(Index step, Index example) {
  const auto n = this->hidden(), batch = this->batch();
  const auto* const before = cell_.data() + (step * batch + example) * n;
  std::copy_n(before, n, cell_.data() + ((step + 1) * batch + example) * n);
}

template <class Scalar>
void LstmLayer<Scalar>::step_backward(Index step, Scalar* dh) {
  const auto n = this->hidden(), batch = this->batch(), width = lstm_gates * n;
  auto* const gradients = this->gates_gradient(step);
  auto* const dc = cell_gradient_.data();
  if (step + 1 == this->length())
    std::fill_n(dc, batch * n, Scalar{0});
  const auto size = static_cast<std::size_t>(n);
  for (Index b = 0; b < batch; ++b) {
    const auto* const row = this->gates(step) + b * width;
    const auto i = array(std::span{row, size}), f = array(std::span{row + n, size}),
               g = array(std::span{row + 2 * n, size}), o = array(std::span{row + 3 * n, size});
    auto* const gradient = gradients + b * width;
    if (!this->reads(step, b)) {
      std::fill_n(gradient, width, Scalar{0});
      continue;
    }
    auto d_i = array(std::span{gradient, size}), d_f = array(std::span{gradient + n, size}),
         d_g = array(std::span{gradient + 2 * n, size}),
         d_o = array(std::span{gradient + 3 * n, size});
    const auto at = (step * batch + b) * n;
    const auto c_before = array(std::span{cell_.data() + at, size}),
               c = array(std::span{cell_.data() + at + batch * n, size});
    auto d_h = array(std::span{dh + b * n, size});
    auto d_c = array(std::span{dc + b * n, size});
    d_o = c.tanh();
    d_c += d_h * o * (1 - d_o.square());
    d_o *= d_h * o * (1 - o);
    d_i = d_c * g * i * (1 - i);
    d_f = d_c * c_before * f * (1 - f);
    d_g = d_c * i * (1 - g.square());
    d_c *= f;
    d_h.setZero();
  }
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> LstmLayer<Scalar>::clone() const {
  return std::make_unique<LstmLayer>(*this);
}

template class LstmLayer<float>;
template class LstmLayer<double>;

namespace {

const RegisterLayer lstm_kind{recurrent_kind<LstmLayer<float>>("lstm")};

} // namespace

} // namespace troupe
