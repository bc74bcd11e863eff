#include "model/layers/residual.hpp"

#include "base/config/unknown_key.hpp"
#include "model/layers/array.hpp"
#include "model/layers/layer_kind.hpp"

#include <stdexcept>

namespace troupe {

template <class Scalar>
ResidualLayer<Scalar>::ResidualLayer(Layers layers, Layers shortcut)
  : unconnected_{std::move(layers), std::move(shortcut)} {
  if (unconnected_.inner.empty())
    throw std::invalid_argument("a residual block has no layers; give it at least one");
}

template <class Scalar>
ResidualLayer<Scalar>::ResidualLayer(const ResidualLayer& other)
  : inner_(other.inner_),
    shortcut_(other.shortcut_),
    identity_(other.identity_),
    rectifies_(other.rectifies_) {
  const auto copy = [](const Layers& from, Layers& to) {
    for (const auto& layer : from)
      to.push_back(layer->clone());
  };
  copy(other.unconnected_.inner, unconnected_.inner);
  copy(other.unconnected_.shortcut, unconnected_.shortcut);
}

template <class Scalar>
Shape ResidualLayer<Scalar>::connect(const Shape& input, const std::string& prefix,
                                     Layout& layout) {
  identity_ = unconnected_.shortcut.empty();
  const auto output = inner_.connect(input, prefix + ".", std::move(unconnected_.inner), layout);
  const auto other
    = shortcut_.connect(input, prefix + ".shortcut.", std::move(unconnected_.shortcut), layout);
  unconnected_ = {};
  if (output != other)
    throw std::invalid_argument("residual layer '" + prefix + "' cannot add the shape "
                                + to_string(output) + " of its layers to " + to_string(other)
                                + " of its shortcut; make their channels and strides agree");
  return output;
}

template <class Scalar>
void ResidualLayer<Scalar>::initialize(std::span<Scalar> parameters, RandomKey key) const {
  inner_.initialize(parameters, key);
  shortcut_.initialize(parameters, key);
}

template <class Scalar>
void ResidualLayer<Scalar>::begin(const PassContext& context) {
  inner_.begin(context);
  shortcut_.begin(context);
}

template <class Scalar>
void ResidualLayer<Scalar>::forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
                                    std::span<Scalar> y) {
  const auto inner = array(inner_.forward(parameters, x));
  const auto sum = inner + array(shortcut_.forward(parameters, x));
  if (rectifies_)
    array(y) = (sum < 0).select(Scalar{0}, sum);
  else
    array(y) = sum;
}

template <class Scalar>
void ResidualLayer<Scalar>::backward(const BackwardPass<Scalar>& pass) {
  const auto wanted = !pass.dx.empty();
  const auto dy = array(pass.dy);
  const auto write = [&](std::span<Scalar> to) {
    if (rectifies_)
      array(to) = (array(pass.y) > 0).select(dy, Scalar{0});
    else
      array(to) = dy;
  };
  const auto through = [&](Chain<Scalar>& chain) {
    write(chain.output_gradient());
    return chain.backward(pass.parameters, pass.x, pass.gradient, wanted);
  };
  const auto inner = through(inner_);
  if (!identity_) {
    const auto shortcut = through(shortcut_);
    if (wanted)
      array(pass.dx) = array(inner) + array(shortcut);
  } else if (wanted && rectifies_) {
    array(pass.dx) = array(inner) + (array(pass.y) > 0).select(dy, Scalar{0});
  } else if (wanted) {
    array(pass.dx) = array(inner) + dy;
  }
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> ResidualLayer<Scalar>::clone() const {
  return std::unique_ptr<ResidualLayer>{new ResidualLayer{*this}};
}

template class ResidualLayer<float>;
template class ResidualLayer<double>;

namespace {

/// {residual: [inner layers]} or {residual: {layers: [...], shortcut: [...]}}
std::unique_ptr<Layer<float>> make_residual(const config::Node& given, const std::string& path,
                                            const LayerData& data) {
  if (given.is_list() || given.is_null())
    return std::make_unique<ResidualLayer<float>>(make_layers(given, path, data));
  Chain<float>::Layers inner, shortcut;
  for (const auto& [key, value] : given.entries())
    if (key == "layers")
      inner = make_layers(value, path + ".layers", data);
    else if (key == "shortcut")
      shortcut = make_layers(value, path + ".shortcut", data);
    else
      throw ConfigError(config::unknown_key(key, path, value.source(), {"layers", "shortcut"}));
  return std::make_unique<ResidualLayer<float>>(std::move(inner), std::move(shortcut));
}

const RegisterLayer residual_kind{{"residual", make_residual}};

} // namespace

} // namespace troupe
