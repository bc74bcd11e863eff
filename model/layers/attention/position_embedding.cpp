#include "model/layers/attention/position_embedding.hpp"

#include "model/layers/layer_kind.hpp"
#include "model/layers/sequence.hpp"

#include <algorithm>

namespace troupe {

template <class Scalar>
Shape PositionEmbeddingLayer<Scalar>::connect(const Shape& input, const std::string& prefix,
                                              Layout& layout) {
  check_sequence("position_embedding layer '" + prefix + "'", "[any, length, width]", input);
  prefix_ = prefix;
  size_ = input[1] * input[2];
  weight_ = layout.add(prefix + ".weight", {input[1], input[2]});
  return input;
}

template <class Scalar>
void PositionEmbeddingLayer<Scalar>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  Random random{key.derive(prefix_ + ".weight")};
  for (auto& weight : parameters.subspan(weight_, size_))
    weight = static_cast<Scalar>(deviation_ * random.normal());
}

template <class Scalar>
void PositionEmbeddingLayer<Scalar>::forward(std::span<const Scalar> parameters,
                                             std::span<const Scalar> x, std::span<Scalar> y) {
  const auto* p = parameters.data() + weight_;
  const auto batch = static_cast<Index>(x.size()) / size_;
  for (Index b = 0; b < batch; ++b)
    for (Index i = 0; i < size_; ++i)
      y[b * size_ + i] = x[b * size_ + i] + p[i];
}

template <class Scalar>
void PositionEmbeddingLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  auto* dp = pass.gradient.data() + weight_;
  const auto* dy = pass.dy.data();
  const auto batch = static_cast<Index>(pass.dy.size()) / size_;
  std::fill_n(dp, size_, Scalar{0});
  for (Index b = 0; b < batch; ++b)
    for (Index i = 0; i < size_; ++i)
      dp[i] += dy[b * size_ + i];
  if (!pass.dx.empty() && pass.dx.data() != dy)
    std::copy(pass.dy.begin(), pass.dy.end(), pass.dx.begin());
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> PositionEmbeddingLayer<Scalar>::clone() const {
  return std::make_unique<PositionEmbeddingLayer>(*this);
}

template class PositionEmbeddingLayer<float>;
template class PositionEmbeddingLayer<double>;

namespace {

struct PositionEmbeddingOptions {
  double deviation = 0.02; ///< of the first weights
  TROUPE_FIELDS(deviation);
};

const RegisterLayer position_embedding_kind{
  {"position_embedding",
   [](const config::Node& given, const std::string& path,
      const LayerData&) -> std::unique_ptr<Layer<float>> {
     const auto options = layer_options<PositionEmbeddingOptions>(given, path, "deviation");
     return std::make_unique<PositionEmbeddingLayer<float>>(options.deviation);
   }}};

} // namespace

} // namespace troupe
