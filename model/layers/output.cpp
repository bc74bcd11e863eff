#include "model/layers/output.hpp"

#include "model/layers/layer_kind.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

template <class Scalar>
OutputLayer<Scalar>::OutputLayer(Shape prediction, std::string initializer)
  : LinearLayer<Scalar>(known_width(prediction, "an output layer"), std::move(initializer)),
    prediction_(std::move(prediction)) {}

template <class Scalar>
Shape OutputLayer<Scalar>::connect(const Shape& input, const std::string& prefix, Layout& layout) {
  const auto each_place
    = input.size() == prediction_.size()
      && std::equal(input.begin(), input.end() - 1, prediction_.begin(), prediction_.end() - 1);
  if (each_place)
    this->set_outputs(prediction_.back());
  else if (input.size() != 2)
    throw std::invalid_argument(
      "output layer '" + prefix + "' cannot make the prediction " + to_string(prediction_)
      + " from the shape " + to_string(input)
      + "; it needs [any, inputs], or one position for each predicted one; "
        "flatten before it, or take the last state only");
  LinearLayer<Scalar>::connect(input, prefix, layout);
  return prediction_;
}

template <class Scalar>
std::unique_ptr<Layer<Scalar>> OutputLayer<Scalar>::clone() const {
  return std::make_unique<OutputLayer>(*this);
}

template class OutputLayer<float>;
template class OutputLayer<double>;

namespace {

const RegisterLayer output_layer_kind{{"output",
                                       [](const config::Node& given, const std::string& path,
                                          const LayerData& data) -> std::unique_ptr<Layer<float>> {
                                         refuse_layer_options(given, path);
                                         return std::make_unique<OutputLayer<float>>(
                                           data.prediction());
                                       }}};

} // namespace

} // namespace troupe
