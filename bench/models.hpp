// The benchmark models: perceptrons M1, M3 and M5, the convolutional M2, all on 784 inputs and ten
// classes, and the recurrent M4.
#pragma once

#include "bench/uniform_problem.hpp"
#include "model/optimizers/make_optimizer.hpp"
#include "model/zoo/network.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe::bench {

inline NetworkOptions network_options(const std::string& model) {
  NetworkOptions options;
  if (model == "M1")
    options.hidden = {512, 512};
  else if (model == "M3")
    options.hidden = {};
  else if (model == "M5")
    options.hidden = {2048, 2048};
  else
    throw std::invalid_argument("no model '" + model + "'; give M1, M3 or M5");
  return options;
}

inline std::string hidden_text(const std::string& model) {
  return model == "M1" ? "[512,512]" : model == "M3" ? "[]" : "[2048,2048]";
}

/// The configuration arguments that make a model: for perceptrons the same as network_options.
inline std::vector<std::string> model_arguments(const std::string& model) {
  if (model == "M2")
    return {"model.name=network",
            "model.layers=[{conv2d: {channels: 20, kernel: 5}}, relu, max_pooling: 2, "
            "{conv2d: {channels: 50, kernel: 5}}, relu, max_pooling: 2, flatten, linear: 500, "
            "relu, output]"};
  if (model == "M4")
    return {"model.name=network", "model.layers=[{lstm: {hidden: 128, last: true}}, output]"};
  return {"model.hidden=" + hidden_text(model)};
}

/// The training data of a model: rows of 784 numbers, images of 28 x 28, or 20 steps of 8 numbers.
/// A run of M4 is about as long as its epoch of 156 batches, and validation on 1000 examples would
/// take a thirtieth of it, which no reference program does; so M4 validates on a single batch.
inline std::shared_ptr<const UniformProblem> problem_of(const std::string& model) {
  if (model == "M4")
    return std::make_shared<UniformProblem>(10000, 64, Shape{any_size, 20, 8}, Targets::numbers);
  return std::make_shared<UniformProblem>(
    60000, 1000, model == "M2" ? Shape{any_size, 28, 28} : Shape{any_size, 784});
}

inline std::unique_ptr<Optimizer> bench_optimizer(const std::string& name, Index size) {
  if (name == "adam")
    return make_optimizer(AdamOptions{}, size);
  return make_optimizer(SgdOptions{.learning_rate = 0.01, .momentum = 0.9}, size);
}

} // namespace troupe::bench
