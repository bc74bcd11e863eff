// A trained model: measures itself, predicts, and is saved and loaded with all that it needs.
#pragma once

#include "model/data/problem.hpp"
#include "model/facade/component.hpp"
#include "model/tensor/block.hpp"
#include "model/training/model.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// A model with its parameters, and what it was made from. It serves one thread at a time.
class LearnedModel {
public:
  /// @param component names the model's kind
  /// @param data of the problem that it is for
  /// @throws ConfigError for an unknown model or options that cannot be; std::invalid_argument for
  /// another number of parameters than the model has
  LearnedModel(const Component& component, const DataSpec& data, Block parameters);
  /// The same with a model that has no name to load it by.
  LearnedModel(std::shared_ptr<Model> model, DataSpec data, Block parameters);

  /// Reads what save() wrote. @throws IoError, DataError, and ConfigError where this program does
  /// not know the model's kind
  static LearnedModel load(const std::string& path);
  /// Writes a safetensors file, which other programs and `model.load` read, too. @throws IoError;
  /// std::invalid_argument for a model that was not made by its name
  void save(const std::string& path) const;

  /// The metrics on a section of a problem, by name: "loss", "accuracy", ...
  /// @throws std::invalid_argument for a problem that does not fit the model, or an empty section
  std::map<std::string, double> evaluate(const std::shared_ptr<const Problem>& problem,
                                         Section section = Section::test) const;

  /// The model's output before the loss, row-major [examples, width].
  /// @param input of a model with one input, row-major [examples, width of the input]
  /// @throws std::invalid_argument for numbers that do not fit the input
  std::vector<float> predict(std::span<const float> input);
  /// The same with an array for each input, in the order of the model's inputs().
  std::vector<float> predict(const std::vector<std::span<const float>>& inputs);
  /// The most likely class of each example: the place of the largest output.
  std::vector<std::int32_t> predict_classes(std::span<const float> input);

  /// What computes.
  const Model& model() const { return *model_; }
  /// What was learned: one number for each of the model's layout().
  const Block& parameters() const { return parameters_; }
  /// What the model learned from.
  const DataSpec& data() const { return data_; }

private:
  std::optional<Component> component_;
  DataSpec data_;
  std::shared_ptr<Model> model_;
  Block parameters_;
};

} // namespace troupe
