#include "model/layers/activations.hpp"

#include "base/text/text.hpp"
#include "model/layers/gelu.hpp"
#include "model/layers/leaky_relu.hpp"
#include "model/layers/relu.hpp"
#include "model/layers/sigmoid.hpp"
#include "model/layers/silu.hpp"
#include "model/layers/tanh.hpp"

#include <stdexcept>

namespace troupe {

namespace {

template <class Scalar>
struct ActivationKind {
  const char* name;
  std::unique_ptr<Layer<Scalar>> (*make)();
};

template <class Scalar, class Made>
std::unique_ptr<Layer<Scalar>> make_one() {
  return std::make_unique<Made>();
}

template <class Scalar>
constexpr ActivationKind<Scalar> activation_kinds[] = {
  {"relu", make_one<Scalar, ReluLayer<Scalar>>},
  {"tanh", make_one<Scalar, TanhLayer<Scalar>>},
  {"sigmoid", make_one<Scalar, SigmoidLayer<Scalar>>},
  {"leaky_relu", make_one<Scalar, LeakyReluLayer<Scalar>>},
  {"silu", make_one<Scalar, SiluLayer<Scalar>>},
  {"gelu", make_one<Scalar, GeluLayer<Scalar>>},
};

} // namespace

std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (const auto& kind : activation_kinds<float>)
    names.emplace_back(kind.name);
  return names;
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> make_activation(const std::string& name) {
  for (const auto& kind : activation_kinds<Scalar>)
    if (name == kind.name)
      return kind.make();
  throw std::invalid_argument("there is no activation '" + name + "'; known are "
                              + joined(activation_names()));
}

template std::unique_ptr<Layer<float>> make_activation(const std::string&);
template std::unique_ptr<Layer<double>> make_activation(const std::string&);

} // namespace troupe
