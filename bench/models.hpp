// The benchmark models M1, M3 and M5: perceptrons on 784 inputs and ten classes.
#pragma once

#include "troupe/bench/uniform_problem.hpp"
#include "troupe/model/make_optimizer.hpp"
#include "troupe/model/network.hpp"

#include <stdexcept>

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

inline std::unique_ptr<Optimizer> bench_optimizer(const std::string& name, Index size) {
  if (name == "adam")
    return make_optimizer(AdamOptions{}, size);
  return make_optimizer(SgdOptions{.learning_rate = 0.01, .momentum = 0.9}, size);
}

} // namespace troupe::bench
