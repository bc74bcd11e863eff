#include "model/layers/linear.hpp"

#include "model/kernels/product.hpp"
#include "model/layers/checks.hpp"
#include "model/layers/initializers.hpp"
#include "model/layers/layer_kind.hpp"

#include <algorithm>

namespace troupe {

template <class Scalar>
LinearLayer<Scalar>::LinearLayer(Index outputs, std::string initializer)
  : outputs_(outputs),
    initializer_(std::move(initializer)) {
  check_positive("a linear layer", "outputs", outputs);
  check_initializer(initializer_);
}

template <class Scalar>
Shape LinearLayer<Scalar>::connect(const Shape& input, const std::string& prefix, Layout& layout) {
  const auto who = "linear layer '" + prefix + "'";
  if (input.size() < 2)
    refuse_shape(who, input, "[any, inputs]");
  known_width(input, who);
  inputs_ = input.back();
  prefix_ = prefix;
  weight_ = layout.add(prefix + ".weight", {inputs_, outputs_});
  bias_ = layout.add(prefix + ".bias", {outputs_});
  auto output = input;
  output.back() = outputs_;
  return output;
}

template <class Scalar>
void LinearLayer<Scalar>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  initialize_weights(initializer_, parameters.subspan(weight_, inputs_ * outputs_), inputs_,
                     outputs_, key.derive(prefix_ + ".weight"));
  initialize_biases(initializer_, parameters.subspan(bias_, outputs_), inputs_,
                    key.derive(prefix_ + ".bias"));
}

template <class Scalar>
void LinearLayer<Scalar>::forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
                                  std::span<Scalar> y) {
  const auto rows = static_cast<Index>(x.size()) / inputs_, n = outputs_;
  product({x.data(), rows, inputs_}, {parameters.data() + weight_, inputs_, n},
          {y.data(), rows, n});
  const auto* b = parameters.data() + bias_;
  for (Index i = 0; i < rows; ++i) {
    auto* row = y.data() + i * n;
    for (Index j = 0; j < n; ++j)
      row[j] += b[j];
  }
}

template <class Scalar>
void LinearLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  const auto rows = static_cast<Index>(pass.x.size()) / inputs_, n = outputs_;
  const auto* dy = pass.dy.data();
  const auto xt = transposed(Factor<Scalar>{pass.x.data(), rows, inputs_});
  if (pass.deferred && worth_deferring(rows, inputs_, n))
    pass.deferred->push_back({weight_, xt, {dy, rows, n}, ProductScope::chosen()});
  else
    product(xt, {dy, rows, n}, {pass.gradient.data() + weight_, inputs_, n});
  auto* db = pass.gradient.data() + bias_;
  std::fill(db, db + n, Scalar{0});
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < n; ++j)
      db[j] += dy[i * n + j];
  if (!pass.dx.empty())
    product({dy, rows, n}, transposed(Factor<Scalar>{pass.parameters.data() + weight_, inputs_, n}),
            {pass.dx.data(), rows, inputs_});
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> LinearLayer<Scalar>::clone() const {
  return std::make_unique<LinearLayer>(*this);
}

template class LinearLayer<float>;
template class LinearLayer<double>;

namespace {

struct LinearLayerOptions {
  Index outputs = 0;                     ///< numbers of the output, > 0
  std::string initializer = "he_normal"; ///< of the weights, see initializers.hpp
  TROUPE_FIELDS(outputs, initializer);
};

const RegisterLayer linear_layer_kind{
  {"linear",
   [](const config::Node& given, const std::string& path,
      const LayerData&) -> std::unique_ptr<Layer<float>> {
     const auto options = layer_options<LinearLayerOptions>(given, path, "outputs");
     return std::make_unique<LinearLayer<float>>(options.outputs, options.initializer);
   }}};

} // namespace

} // namespace troupe
