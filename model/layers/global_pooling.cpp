#include "model/layers/global_pooling.hpp"

#include "model/layers/checks.hpp"
#include "model/layers/layer_kind.hpp"

#include <algorithm>

namespace troupe {

template <class Scalar>
Shape GlobalPoolingLayer<Scalar>::connect(const Shape& input, const std::string& prefix, Layout&) {
  const auto who = "global_pooling layer '" + prefix + "'";
  if (input.size() < 3)
    refuse_shape(who, input, "[any, ..., channels] with places between");
  channels_ = input.back();
  places_ = known_width(input, who) / channels_;
  return {input.front(), channels_};
}

template <class Scalar>
void GlobalPoolingLayer<Scalar>::forward(std::span<const Scalar>, std::span<const Scalar> x,
                                         std::span<Scalar> y) {
  std::fill(y.begin(), y.end(), Scalar{0});
  const auto* in = x.data();
  for (auto* out = y.data(); out != y.data() + y.size(); out += channels_) {
    for (Index p = 0; p < places_; ++p, in += channels_)
      for (Index c = 0; c < channels_; ++c)
        out[c] += in[c];
    for (Index c = 0; c < channels_; ++c)
      out[c] /= static_cast<Scalar>(places_);
  }
}

template <class Scalar>
void GlobalPoolingLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  if (pass.dx.empty())
    return;
  auto* out = pass.dx.data();
  for (const auto* dy = pass.dy.data(); dy != pass.dy.data() + pass.dy.size(); dy += channels_)
    for (Index p = 0; p < places_; ++p, out += channels_)
      for (Index c = 0; c < channels_; ++c)
        out[c] = dy[c] / static_cast<Scalar>(places_);
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> GlobalPoolingLayer<Scalar>::clone() const {
  return std::make_unique<GlobalPoolingLayer>(*this);
}

template class GlobalPoolingLayer<float>;
template class GlobalPoolingLayer<double>;

namespace {

const RegisterLayer global_pooling_kind{layer_kind<GlobalPoolingLayer<float>>("global_pooling")};

} // namespace

} // namespace troupe
