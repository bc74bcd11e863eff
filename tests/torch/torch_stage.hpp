// The modules written by tests/fixtures/torch_modules.py, as models.
#pragma once

#include "model/torch/torch_file.hpp"

#include <string>

namespace troupe::test {

inline std::string torch_fixture(const std::string& name) {
  return std::string{TROUPE_FIXTURES} + "/torch/" + name + ".pt";
}

/// Six numbers with a class each.
inline DataSpec six_numbers() {
  return {{{"x", ElementType::float32, {any_size, 6}, 0}},
          {{"y", ElementType::class_index, {any_size}, 3}}};
}

inline std::unique_ptr<Model> torch_model(const std::string& name, const DataSpec& data,
                                          TorchOptions options = {}) {
  options.file = torch_fixture(name);
  return make_torch_model(options, data);
}

} // namespace troupe::test
