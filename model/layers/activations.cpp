#include "troupe/model/layers/activations.hpp"

#include "troupe/model/layers/gelu.hpp"
#include "troupe/model/layers/leaky_relu.hpp"
#include "troupe/model/layers/relu.hpp"
#include "troupe/model/layers/sigmoid.hpp"
#include "troupe/model/layers/silu.hpp"
#include "troupe/model/layers/tanh.hpp"

#include <stdexcept>

namespace troupe {

std::vector<std::string> activation_names() {
  return {"relu", "tanh", "sigmoid", "leaky_relu", "silu", "gelu"};
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> make_activation(const std::string& name) {
  if (name == "relu")
    return std::make_unique<ReluLayer<Scalar>>();
  if (name == "tanh")
    return std::make_unique<TanhLayer<Scalar>>();
  if (name == "sigmoid")
    return std::make_unique<SigmoidLayer<Scalar>>();
  if (name == "leaky_relu")
    return std::make_unique<LeakyReluLayer<Scalar>>();
  if (name == "silu")
    return std::make_unique<SiluLayer<Scalar>>();
  if (name == "gelu")
    return std::make_unique<GeluLayer<Scalar>>();
  std::string known;
  for (const auto& each : activation_names())
    known += (known.empty() ? "" : ", ") + each;
  throw std::invalid_argument("there is no activation '" + name + "'; known are " + known);
}

template std::unique_ptr<Layer<float>> make_activation(const std::string&);
template std::unique_ptr<Layer<double>> make_activation(const std::string&);

} // namespace troupe
