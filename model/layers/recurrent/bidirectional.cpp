#include "model/layers/recurrent/bidirectional.hpp"

#include "model/layers/array.hpp"
#include "model/layers/recurrent/gru.hpp"
#include "model/layers/recurrent/lstm.hpp"
#include "model/layers/recurrent/sequence.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

RecurrentOptions backwards(RecurrentOptions options) {
  if (options.reverse)
    throw std::invalid_argument(
      "a bidirectional layer already reads in both directions; set reverse to false");
  if (options.carry > 0)
    throw std::invalid_argument("a bidirectional layer cannot carry its state, because it would "
                                "need later batches; remove carry or bidirectional");
  options.reverse = true;
  return options;
}

} // namespace

template <class Recurrent>
BidirectionalLayer<Recurrent>::BidirectionalLayer(Index hidden, const RecurrentOptions& options)
  : directions_{Recurrent{hidden, options}, Recurrent{hidden, backwards(options)}},
    hidden_(hidden) {}

template <class Recurrent>
Shape BidirectionalLayer<Recurrent>::connect(const Shape& input, const std::string& prefix,
                                             Layout& layout) {
  auto output = directions_[0].connect(input, prefix + ".forward", layout);
  directions_[1].connect(input, prefix + ".backward", layout);
  output.back() = 2 * hidden_;
  return output;
}

template <class Recurrent>
void BidirectionalLayer<Recurrent>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  for (const auto& direction : directions_)
    direction.initialize(parameters, key);
}

template <class Recurrent>
void BidirectionalLayer<Recurrent>::begin(const PassContext& context) {
  for (auto& direction : directions_)
    direction.begin(context);
}

template <class Recurrent>
void BidirectionalLayer<Recurrent>::forward(std::span<const Scalar> parameters,
                                            std::span<const Scalar> x, std::span<Scalar> y) {
  const auto half = std::span{grown(half_, static_cast<Index>(y.size()) / 2), y.size() / 2};
  auto* to = y.data();
  for (auto& direction : directions_) {
    direction.forward(parameters, x, half);
    for (Index i = 0; i < static_cast<Index>(half.size()); i += hidden_)
      std::copy_n(half.data() + i, hidden_, to + 2 * i);
    to += hidden_;
  }
}

template <class Recurrent>
void BidirectionalLayer<Recurrent>::backward(const BackwardPass<Scalar>& pass) {
  const auto size = pass.dy.size() / 2;
  const auto half = std::span{grown(half_, static_cast<Index>(size)), size};
  const std::span<Scalar> second{grown(input_gradient_, static_cast<Index>(pass.dx.size())),
                                 pass.dx.size()};
  const auto* from = pass.dy.data();
  for (std::size_t d = 0; d < directions_.size(); ++d, from += hidden_) {
    for (Index i = 0; i < static_cast<Index>(size); i += hidden_)
      std::copy_n(from + 2 * i, hidden_, half.data() + i);
    directions_[d].backward({.parameters = pass.parameters,
                             .x = pass.x,
                             .y = {},
                             .dy = half,
                             .dx = d == 0 ? pass.dx : second,
                             .gradient = pass.gradient});
  }
  array(pass.dx) += array(second);
}

template <class Recurrent>
std::unique_ptr<Layer<typename Recurrent::Number>> BidirectionalLayer<Recurrent>::clone() const {
  return std::make_unique<BidirectionalLayer>(*this);
}

template class BidirectionalLayer<LstmLayer<float>>;
template class BidirectionalLayer<LstmLayer<double>>;
template class BidirectionalLayer<GruLayer<float>>;
template class BidirectionalLayer<GruLayer<double>>;

} // namespace troupe
