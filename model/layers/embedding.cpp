#include "model/layers/embedding.hpp"

#include "model/layers/checks.hpp"
#include "model/layers/layer_kind.hpp"
#include "model/layers/sequence.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace troupe {

template <class Scalar>
EmbeddingLayer<Scalar>::EmbeddingLayer(Index vocabulary, Index width, double deviation)
  : vocabulary_(vocabulary),
    width_(width),
    deviation_(deviation) {
  check_positive("an embedding layer", "tokens", vocabulary);
  check_positive("an embedding layer", "numbers per token", width);
}

template <class Scalar>
Shape EmbeddingLayer<Scalar>::connect(const Shape& input, const std::string& prefix,
                                      Layout& layout) {
  check_sequence("embedding layer '" + prefix + "'", "[any, length]", input);
  prefix_ = prefix;
  length_ = input[1];
  weight_ = layout.add(prefix + ".weight", {vocabulary_, width_});
  return {input[0], input[1], width_};
}

template <class Scalar>
void EmbeddingLayer<Scalar>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  Random random{key.derive(prefix_ + ".weight")};
  for (auto& weight : parameters.subspan(weight_, vocabulary_ * width_))
    weight = static_cast<Scalar>(deviation_ * random.normal());
}

// The comparisons are false for NaN, so it is refused as well.
template <class Scalar>
Index EmbeddingLayer<Scalar>::row(Scalar token) const {
  if (token >= 0 && token < static_cast<Scalar>(vocabulary_)) {
    const auto id = static_cast<Index>(token);
    if (static_cast<Scalar>(id) == token)
      return id * width_;
  }
  std::ostringstream message;
  message << "embedding layer '" << prefix_ << "' was given the token " << token
          << ", but its vocabulary is 0 to " << vocabulary_ - 1
          << "; give it a larger vocabulary or encode the text with this one";
  throw std::invalid_argument(message.str());
}

template <class Scalar>
bool EmbeddingLayer<Scalar>::is_padding(std::size_t token) const {
  const auto places = static_cast<std::size_t>(length_);
  return !lengths_.empty() && static_cast<Index>(token % places) >= lengths_[token / places];
}

template <class Scalar>
void EmbeddingLayer<Scalar>::forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
                                     std::span<Scalar> y) {
  const auto* table = parameters.data() + weight_;
  auto* out = y.data();
  for (std::size_t i = 0; i < x.size(); ++i)
    out = is_padding(i) ? std::fill_n(out, width_, Scalar{0})
                        : std::copy_n(table + row(x[i]), width_, out);
}

template <class Scalar>
void EmbeddingLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  auto* table = pass.gradient.data() + weight_;
  std::fill_n(table, vocabulary_ * width_, Scalar{0});
  const auto* dy = pass.dy.data();
  for (std::size_t i = 0; i < pass.x.size(); ++i, dy += width_) {
    if (is_padding(i))
      continue;
    auto* to = table + row(pass.x[i]);
    for (Index j = 0; j < width_; ++j)
      to[j] += dy[j];
  }
  std::fill(pass.dx.begin(), pass.dx.end(), Scalar{0});
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> EmbeddingLayer<Scalar>::clone() const {
  return std::make_unique<EmbeddingLayer>(*this);
}

template class EmbeddingLayer<float>;
template class EmbeddingLayer<double>;

namespace {

struct EmbeddingOptions {
  Index width = 64;     ///< numbers for each token
  Index vocabulary = 0; ///< 0: as many tokens as the problem's first input has
  double deviation = 1; ///< of the first weights
  TROUPE_FIELDS(width, vocabulary, deviation);
};

const RegisterLayer embedding_kind{
  {"embedding",
   [](const config::Node& given, const std::string& path,
      const LayerData& data) -> std::unique_ptr<Layer<float>> {
     const auto options = layer_options<EmbeddingOptions>(given, path, "width");
     const auto vocabulary = options.vocabulary > 0 ? options.vocabulary : data.tokens();
     return std::make_unique<EmbeddingLayer<float>>(vocabulary, options.width, options.deviation);
   },
   [] { return config::encode(EmbeddingOptions{}); }}};

} // namespace

} // namespace troupe
