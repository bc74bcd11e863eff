#include "model/data/arrays/own_arrays.hpp"

#include "base/text/text.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

using FloatArray = std::vector<float>;
using ClassArray = std::vector<std::int32_t>;

/// The arrays, for as long as the problem needs them.
struct KeptArrays {
  std::vector<OwnArray> inputs, targets;
};

FieldSpec field_of(const OwnArray& array) {
  FieldSpec field{.name = array.name, .shape = {any_size}, .classes = array.classes};
  if (std::holds_alternative<ClassArray>(array.data))
    field.type = ElementType::class_index;
  else
    field.shape.insert(field.shape.end(), array.shape.begin(), array.shape.end());
  return field;
}

ArrayView view_of(const OwnArray& array) {
  if (const auto* classes = std::get_if<ClassArray>(&array.data))
    return {nullptr, classes->data()};
  return {std::get<FloatArray>(array.data).data(), nullptr};
}

/// @throws std::invalid_argument for an array that does not end with a whole example
Index own_rows(const OwnArray& array) {
  const auto size = std::visit(
    [](const auto& numbers) { return static_cast<Index>(numbers.size()); }, array.data);
  const auto field = field_of(array);
  const auto width = field.width();
  if (width <= 0)
    throw std::invalid_argument("the shape of '" + array.name
                                + "' has a size below 1; give the shape of one example");
  if (size % width != 0)
    throw std::invalid_argument("'" + array.name + "' has "
                                + quantity(static_cast<std::uint64_t>(size), "number")
                                + ", which is no multiple of the " + std::to_string(width)
                                + " of one example; give whole examples of the field's shape");
  return size / width;
}

Index common_rows(const KeptArrays& arrays) {
  if (arrays.inputs.empty() || arrays.targets.empty())
    throw std::invalid_argument(
      "a problem needs an input and a target; give it at least one of each");
  const auto& first = arrays.inputs.front();
  const auto rows = own_rows(first);
  for (const auto* fields : {&arrays.inputs, &arrays.targets})
    for (const auto& field : *fields)
      if (const auto others = own_rows(field); others != rows)
        throw std::invalid_argument(
          "'" + field.name + "' has " + std::to_string(others) + " examples, but '" + first.name
          + "' has " + std::to_string(rows) + "; give each field a value for each example");
  return rows;
}

} // namespace

OwnArray::OwnArray(std::string field, std::vector<float> numbers, Shape of_one)
  : name(std::move(field)),
    data(std::move(numbers)),
    shape(std::move(of_one)) {}

OwnArray::OwnArray(std::string field, std::vector<std::int32_t> labels, Index count)
  : name(std::move(field)),
    classes(count > 0        ? count
            : labels.empty() ? 0
                             : Index{*std::max_element(labels.begin(), labels.end())} + 1) {
  data = std::move(labels);
}

std::shared_ptr<const ArrayProblem>
own_arrays(std::vector<OwnArray> inputs, std::vector<OwnArray> targets, const SplitOptions& split) {
  const auto kept
    = std::make_shared<const KeptArrays>(KeptArrays{std::move(inputs), std::move(targets)});
  const auto parts = split_rows(common_rows(*kept), split);
  DataSpec spec;
  ArraySection whole;
  for (const auto& input : kept->inputs) {
    spec.inputs.push_back(field_of(input));
    whole.inputs.push_back(view_of(input));
  }
  for (const auto& target : kept->targets) {
    spec.targets.push_back(field_of(target));
    whole.targets.push_back(view_of(target));
  }
  ArrayProblem::Sections sections;
  for (const auto section : {Section::train, Section::validation, Section::test}) {
    auto& part = sections[static_cast<std::size_t>(section)];
    part = whole;
    part.rows = parts.of(section);
  }
  return std::make_shared<const ArrayProblem>(std::move(spec), std::move(sections), kept);
}

} // namespace troupe
