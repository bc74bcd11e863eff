#include "model/data/problem.hpp"

namespace troupe {

std::string to_string(Section section) {
  switch (section) {
  case Section::train: return "train";
  case Section::validation: return "validation";
  case Section::test: return "test";
  }
  return "unknown section";
}

std::string to_string(ElementType type) {
  switch (type) {
  case ElementType::float32: return "float32";
  case ElementType::class_index: return "class_index";
  }
  return "unknown type";
}

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
