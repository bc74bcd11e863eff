#include "model/layers/recurrent/recurrent.hpp"

#include "model/kernels/product.hpp"
#include "model/layers/array.hpp"
#include "model/layers/checks.hpp"
#include "model/layers/initializers.hpp"
#include "model/layers/sequence.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

// Rows of a stretch. With 128 to 384 rows an LSTM is 4 % faster than with all at once: the
// gradients of the gates stay in a cache of 2 MB, and products over that many rows run at full
// speed.
constexpr Index stretch_rows = 256;

} // namespace

template <class Scalar>
RecurrentLayer<Scalar>::RecurrentLayer(Index hidden, Index gates, RecurrentOptions options)
  : hidden_(hidden),
    gates_(gates),
    options_(std::move(options)) {
  check_positive("a recurrent layer", "hidden units", hidden);
  check_initializer(options_.initializer);
  if (options_.carry < 0 || (carries() && options_.reverse))
    throw std::invalid_argument("a recurrent layer that carries the state of "
                                + std::to_string(options_.carry) + " examples"
                                + (options_.reverse ? " from right to left" : "")
                                + "; give 0 or more, and read from left to right");
}

template <class Scalar>
Shape RecurrentLayer<Scalar>::connect(const Shape& input, const std::string& prefix,
                                      Layout& layout) {
  check_sequence(this->kind() + " layer '" + prefix + "'", "[any, length, inputs]", input);
  length_ = input[1];
  inputs_ = input[2];
  prefix_ = prefix;
  weight_ = layout.add(prefix + ".weight", {inputs_, gates_ * hidden_});
  hidden_weight_ = layout.add(prefix + ".hidden_weight", {hidden_, gates_ * hidden_});
  bias_ = layout.add(prefix + ".bias", {gates_ * hidden_});
  if (carries())
    carried_ = add_carried(prefix + ".carried_state", layout);
  return options_.last ? Shape{input[0], hidden_} : Shape{input[0], length_, hidden_};
}

// PyTorch draws all parameters of a recurrent layer in +-1 / sqrt(hidden), hence "torch" uses the
// hidden units as the number of inputs for W as well.
template <class Scalar>
void RecurrentLayer<Scalar>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  const auto width = gates_ * hidden_;
  const auto fan_in = options_.initializer == "torch" ? hidden_ : inputs_;
  initialize_weights(options_.initializer, parameters.subspan(weight_, inputs_ * width), fan_in,
                     hidden_, key.derive(prefix_ + ".weight"));
  initialize_weights(options_.initializer, parameters.subspan(hidden_weight_, hidden_ * width),
                     hidden_, hidden_, key.derive(prefix_ + ".hidden_weight"));
  initialize_biases(options_.initializer, parameters.subspan(bias_, width), hidden_,
                    key.derive(prefix_ + ".bias"));
  if (carries())
    clear_carried(carried_, parameters);
}

template <class Scalar>
Index RecurrentLayer<Scalar>::add_carried(const std::string& name, Layout& layout) const {
  return layout.add(name, {options_.carry, hidden_}, ParameterRole::carried);
}

template <class Scalar>
void RecurrentLayer<Scalar>::clear_carried(Index carried, std::span<Scalar> parameters) const {
  std::fill_n(parameters.data() + carried, options_.carry * hidden_, Scalar{0});
}

template <class Scalar>
void RecurrentLayer<Scalar>::begin_states(std::span<const Scalar> parameters, Index carried,
                                          Scalar* states) const {
  const auto size = batch_ * hidden_;
  if (!continues())
    std::fill_n(states, size, Scalar{0});
  else
    std::copy_n(context_.training ? parameters.data() + carried : states + length_ * size, size,
                states);
}

template <class Scalar>
void RecurrentLayer<Scalar>::end_states(const BackwardPass<Scalar>& pass, Index carried,
                                        const Scalar* states) const {
  const auto* const last = states + length_ * batch_ * hidden_;
  const auto keeps = context_.training && batch_ == options_.carry;
  for (Index i = 0; i < options_.carry * hidden_; ++i)
    pass.gradient[carried + i] = keeps ? last[i] - pass.parameters[carried + i] : Scalar{0};
}

template <class Scalar>
Index RecurrentLayer<Scalar>::stretch() const {
  return std::clamp<Index>(stretch_rows / std::max<Index>(batch_, 1), 1, length_);
}

template <class Scalar>
typename RecurrentLayer<Scalar>::Stretch RecurrentLayer<Scalar>::stretch_from(Index begin) const {
  return {begin, std::min(begin + stretch(), length_)};
}

// Smaller batches need less, so only the largest one allocates.
template <class Scalar>
Scalar* RecurrentLayer<Scalar>::grow_stretch(Buffer<Scalar>& buffer, Index width) const {
  return grown(buffer, std::max(batch_, std::min(length_ * batch_, stretch_rows)) * width);
}

template <class Scalar>
Index RecurrentLayer<Scalar>::position(Index step) const {
  return options_.reverse ? length_ - 1 - step : step;
}

template <class Scalar>
void RecurrentLayer<Scalar>::read(std::span<const Scalar> x, Stretch steps) {
  auto* to = input_buffer_.data() + slot(steps.begin) * batch_ * inputs_;
  for (auto step = steps.begin; step < steps.end; ++step)
    for (Index b = 0; b < batch_; ++b)
      to = std::copy_n(x.data() + (b * length_ + position(step)) * inputs_, inputs_, to);
}

template <class Scalar>
void RecurrentLayer<Scalar>::keep_states(Index step) {
  for (Index b = 0; b < batch_; ++b)
    if (!reads(step, b)) {
      std::copy_n(state(step) + b * hidden_, hidden_, state(step + 1) + b * hidden_);
      keep(step, b);
    }
}

template <class Scalar>
void RecurrentLayer<Scalar>::write(std::span<Scalar> y) {
  if (options_.last) {
    std::copy_n(state(length_), batch_ * hidden_, y.data());
    return;
  }
  const auto* from = state(1);
  for (Index step = 0; step < length_; ++step)
    for (Index b = 0; b < batch_; ++b, from += hidden_) {
      auto* const to = y.data() + (b * length_ + position(step)) * hidden_;
      if (reads(step, b))
        std::copy_n(from, hidden_, to);
      else
        std::fill_n(to, hidden_, Scalar{0});
    }
}

template <class Scalar>
void RecurrentLayer<Scalar>::forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
                                     std::span<Scalar> y) {
  const auto size = static_cast<Index>(x.size()) / (length_ * inputs_);
  if (carries() && context_.continues
      && (size != options_.carry || (!context_.training && batch_ != size)))
    throw std::invalid_argument("a batch of " + std::to_string(size) + " examples continues one of "
                                + std::to_string(batch_) + ", where the layer carries the state of "
                                + std::to_string(options_.carry)
                                + "; use this size for all batches");
  batch_ = size;
  const auto rows = kept_steps() * batch_;
  grown(input_buffer_, rows * inputs_);
  grown(gates_buffer_, rows * gates_ * hidden_);
  grown(state_buffer_, (length_ + 1) * batch_ * hidden_);
  prepare(parameters);
  begin_states(parameters, carried_, state(0));
  for (Index i = 0; i < length_; ++i) {
    if (i % stretch() == 0) {
      read(x, stretch_from(i));
      input_products(parameters, stretch_from(i));
    }
    add_hidden_product(parameters, i);
    step(parameters, i);
    keep_states(i);
  }
  write(y);
}

template <class Scalar>
void RecurrentLayer<Scalar>::input_products(std::span<const Scalar> parameters, Stretch steps) {
  const auto rows = (steps.end - steps.begin) * batch_, width = gates_ * hidden_;
  product({input_buffer_.data() + slot(steps.begin) * batch_ * inputs_, rows, inputs_},
          {parameters.data() + weight_, inputs_, width}, {gates(steps.begin), rows, width});
}

template <class Scalar>
void RecurrentLayer<Scalar>::add_hidden_product(std::span<const Scalar> parameters, Index step) {
  const auto width = gates_ * hidden_;
  auto* const to = hidden_product(step);
  const auto write = to == gates(step) ? WriteMode::add : WriteMode::replace;
  if (step > 0 || continues())
    product({state(step), batch_, hidden_}, {parameters.data() + hidden_weight_, hidden_, width},
            {to, batch_, width}, write);
  else if (write == WriteMode::replace) // h is 0
    std::fill_n(to, batch_ * width, Scalar{0});
}

template <class Scalar>
void RecurrentLayer<Scalar>::add_output_gradient(std::span<const Scalar> dy, Index step,
                                                 Scalar* dh) const {
  if (options_.last && step + 1 < length_)
    return;
  for (Index b = 0; b < batch_; ++b) {
    if (!options_.last && !reads(step, b))
      continue;
    const auto row = options_.last ? b : b * length_ + position(step);
    const auto* from = dy.data() + row * hidden_;
    auto* to = dh + b * hidden_;
    for (Index j = 0; j < hidden_; ++j)
      to[j] += from[j];
  }
}

template <class Scalar>
void RecurrentLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  const auto width = gates_ * hidden_;
  grow_stretch(gradient_buffer_, width);
  auto* const transposed_u = grown(transposed_weight_, width * hidden_);
  // With U untransposed each step's product would take a fifth longer.
  transpose({pass.parameters.data() + hidden_weight_, hidden_, width}, transposed_u);
  auto* const dh = grown(state_gradient_, batch_ * hidden_);
  std::fill_n(dh, batch_ * hidden_, Scalar{0});
  for (auto i = length_; i-- > 0;) {
    add_output_gradient(pass.dy, i, dh);
    step_backward(i, dh);
    if (i > 0) // the gradient of the first state is not needed
      product({hidden_gradient(i), batch_, width}, {transposed_u, width, hidden_},
              {dh, batch_, hidden_}, WriteMode::add);
    if (i % stretch() != 0)
      continue;
    weight_gradients(stretch_from(i), pass.gradient);
    if (!pass.dx.empty())
      input_gradient(pass.parameters, stretch_from(i), pass.dx);
  }
  if (carries())
    end_states(pass, carried_, state(0));
}

template <class Scalar>
void RecurrentLayer<Scalar>::weight_gradients(Stretch steps, std::span<Scalar> gradient) {
  const auto rows = (steps.end - steps.begin) * batch_, width = gates_ * hidden_;
  const auto write = steps.end == length_ ? WriteMode::replace : WriteMode::add;
  const Factor<Scalar> da{gates_gradient(steps.begin), rows, width},
    x{input_buffer_.data() + steps.begin * batch_ * inputs_, rows, inputs_};
  product(transposed(x), da, {gradient.data() + weight_, inputs_, width}, write);
  const auto zeros = steps.begin == 0 && !continues() ? batch_ : 0; // rows of h
  const Factor<Scalar> du{hidden_gradient(steps.begin) + zeros * width, rows - zeros, width},
    h{state(steps.begin) + zeros * hidden_, rows - zeros, hidden_};
  product(transposed(h), du, {gradient.data() + hidden_weight_, hidden_, width}, write);
  auto db = array(gradient.subspan(bias_, width));
  if (write == WriteMode::replace)
    db.setZero();
  for (Index i = 0; i < rows; ++i)
    db += array(std::span<const Scalar>{da.data + i * width, gates_width()});
}

template <class Scalar>
void RecurrentLayer<Scalar>::input_gradient(std::span<const Scalar> parameters, Stretch steps,
                                            std::span<Scalar> dx) {
  const auto rows = (steps.end - steps.begin) * batch_, width = gates_ * hidden_;
  auto* from = grow_stretch(input_gradient_, inputs_);
  product({gates_gradient(steps.begin), rows, width},
          transposed(Factor<Scalar>{parameters.data() + weight_, inputs_, width}),
          {from, rows, inputs_});
  for (auto step = steps.begin; step < steps.end; ++step)
    for (Index b = 0; b < batch_; ++b, from += inputs_)
      std::copy_n(from, inputs_, dx.data() + (b * length_ + position(step)) * inputs_);
}

template class RecurrentLayer<float>;
template class RecurrentLayer<double>;

} // namespace troupe
