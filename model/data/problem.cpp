#include "model/data/problem.hpp"

namespace troupe {

Index FieldSpec::width() const {
  Index n = 1;
  for (std::size_t i = 1; i < shape.size(); ++i)
    n *= shape[i];
  return n;
}

std::string to_string(const FieldSpec& field) {
  return field.name + " " + to_string(field.type) + " " + to_string(field.shape);
}

} // namespace troupe
