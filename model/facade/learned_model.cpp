#include "model/facade/learned_model.hpp"

#include "base/config/make_component.hpp"
#include "base/files/durable_file.hpp"
#include "model/data/arrays/array_problem.hpp"
#include "model/formats/safetensors.hpp"
#include "model/training/evaluation_pass.hpp"
#include "model/training/model_fit.hpp"
#include "model/training/model_kind.hpp"
#include "model/training/predict_arrays.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

using SectionJson = nlohmann::ordered_json;

constexpr auto model_key = "model"; // of a file's metadata
constexpr auto fields_key = "fields";
constexpr Index evaluated_at_once = 256;

SectionJson section_json(const config::Node& node) {
  if (node.is_scalar())
    return node.text();
  if (node.is_list()) {
    auto list = SectionJson::array();
    for (const auto& item : node.items())
      list.push_back(section_json(item));
    return list;
  }
  auto map = node.is_map() ? SectionJson::object() : SectionJson{};
  for (const auto& [key, value] : node.entries())
    map[key] = section_json(value);
  return map;
}

config::Node node_of(const SectionJson& json, const std::string& source) {
  if (json.is_array()) {
    auto list = config::Node::list(source);
    for (const auto& item : json)
      list.append(node_of(item, source));
    return list;
  }
  if (json.is_object()) {
    auto map = config::Node::map(source);
    for (const auto& [key, value] : json.items())
      map.put(key, node_of(value, source));
    return map;
  }
  if (json.is_null())
    return config::Node::null(source);
  return config::Node::scalar(json.get<std::string>(), source);
}

/// @throws DataError
const std::string& metadata_of(const NamedParameters& file, const std::string& key,
                               const std::string& path) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end())
    throw DataError("'" + path + "' does not say which " + key
                    + " its parameters are of; give a file that LearnedModel::save has written");
  return found->second;
}

Component component_of(const NamedParameters& file, const std::string& path) try {
  return Component{node_of(SectionJson::parse(metadata_of(file, model_key, path)), path)};
} catch (const nlohmann::json::exception& e) {
  throw DataError("the model in '" + path + "' cannot be read: " + e.what()
                  + "; give a file that LearnedModel::save has written");
}

/// @throws std::invalid_argument for inputs that are no whole examples, or of different numbers
Index examples_in(const Model& model, const std::vector<std::span<const float>>& inputs) {
  const auto fields = model.inputs();
  if (inputs.size() != fields.size())
    throw std::invalid_argument("model '" + model.name() + "' has " + std::to_string(fields.size())
                                + " inputs, but " + std::to_string(inputs.size())
                                + " are given; give an array for each");
  Index examples = -1;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto width = fields[i].width();
    const auto size = static_cast<Index>(inputs[i].size());
    if (width <= 0 || size % width != 0 || (examples >= 0 && size / width != examples))
      throw std::invalid_argument(std::to_string(size) + " numbers do not fit input "
                                  + to_string(fields[i])
                                  + "; give whole examples, as many for each input");
    examples = size / width;
  }
  return examples;
}

} // namespace

LearnedModel::LearnedModel(const Component& component, const DataSpec& data, Block parameters)
  : LearnedModel(make_component(model_kinds(), "model", component.section(), data), data,
                 std::move(parameters)) {
  component_ = component;
}

LearnedModel::LearnedModel(std::shared_ptr<Model> model, DataSpec data, Block parameters)
  : data_(std::move(data)),
    model_(std::move(model)),
    parameters_(std::move(parameters)) {
  if (parameters_.size() != model_->layout().size())
    throw std::invalid_argument("model '" + model_->name() + "' has "
                                + std::to_string(model_->layout().size()) + " parameters, but "
                                + std::to_string(parameters_.size())
                                + " are given; give those of a model with the same options");
}

LearnedModel LearnedModel::load(const std::string& path) {
  const auto file = read_safetensors(path);
  LearnedModel loaded{component_of(file, path), array_fields(metadata_of(file, fields_key, path)),
                      file.values};
  if (const auto difference = loaded.model().layout().difference(file.layout); !difference.empty())
    throw DataError("the parameters in '" + path + "' are not of its model: " + difference
                    + "; give a file that LearnedModel::save has written");
  return loaded;
}

void LearnedModel::save(const std::string& path) const {
  if (!component_)
    throw std::invalid_argument("model '" + model_->name()
                                + "' was not made by its name, so that no program could load it; "
                                  "register its kind, and learn it by name");
  DurableFile file{path, Readers::all};
  write_safetensors(
    [&file](const void* data, std::size_t bytes) { file.write(data, bytes); },
    {model_->layout(),
     parameters_,
     {{model_key, section_json(component_->section()).dump()}, {fields_key, fields_text(data_)}}});
  file.commit();
}

std::map<std::string, double> LearnedModel::evaluate(const std::shared_ptr<const Problem>& problem,
                                                     Section section) const {
  check_fit(*problem, *model_);
  if (problem->size(section) == 0)
    throw std::invalid_argument("problem '" + problem->name() + "' has no example for "
                                + to_string(section)
                                + "; leave rows for it when you split the data");
  EvaluationPass pass{problem, model_, parameters_, section, evaluated_at_once, 0};
  while (!pass.done())
    pass.step();
  const auto values = pass.metrics().values();
  return {values.begin(), values.end()};
}

std::vector<float> LearnedModel::predict(std::span<const float> input) {
  return predict(std::vector{input});
}

std::vector<float> LearnedModel::predict(const std::vector<std::span<const float>>& inputs) {
  std::vector<float> predicted;
  predict_arrays(
    *model_, parameters_.view(), data_, inputs, examples_in(*model_, inputs),
    [&](std::span<const float> y) { predicted.insert(predicted.end(), y.begin(), y.end()); });
  return predicted;
}

std::vector<std::int32_t> LearnedModel::predict_classes(std::span<const float> input) {
  const auto outputs = predict(input);
  const auto width = static_cast<std::size_t>(model_->prediction().width());
  std::vector<std::int32_t> classes;
  for (auto row = outputs.begin(); row != outputs.end(); row += static_cast<std::ptrdiff_t>(width))
    classes.push_back(static_cast<std::int32_t>(
      std::max_element(row, row + static_cast<std::ptrdiff_t>(width)) - row));
  return classes;
}

} // namespace troupe
