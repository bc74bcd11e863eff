#include "model/training/predict_arrays.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr Index examples_at_once = 256;

/// The place of a model's input among the fields of a batch.
std::size_t place_of_input(const DataSpec& data, const std::string& name) {
  const auto found = std::find_if(data.inputs.begin(), data.inputs.end(),
                                  [&](const auto& field) { return field.name == name; });
  return static_cast<std::size_t>(found - data.inputs.begin());
}

} // namespace

void predict_arrays(Model& model, std::span<const float> parameters, const DataSpec& data,
                    const std::vector<std::span<const float>>& inputs, Index examples,
                    const std::function<void(std::span<const float> predicted)>& take) {
  const auto fields = model.inputs();
  Batch batch;
  batch.inputs.resize(data.inputs.size());
  for (Index first = 0; first < examples; first += batch.size) {
    batch.size = std::min(examples_at_once, examples - first);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto width = static_cast<std::size_t>(fields[i].width());
      const auto rows = inputs[i].subspan(static_cast<std::size_t>(first) * width,
                                          static_cast<std::size_t>(batch.size) * width);
      batch.inputs.at(place_of_input(data, fields[i].name)).values.assign(rows.begin(), rows.end());
    }
    take(model.forward(parameters, batch));
  }
}

} // namespace troupe
