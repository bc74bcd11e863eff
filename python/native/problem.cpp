#include "apps/catalog/components.hpp"
#include "model/data/arrays/array_problem.hpp"
#include "model/data/split.hpp"
#include "python/native/kept.hpp"
#include "python/native/module.hpp"

#include <pybind11/stl.h>

#include <stdexcept>
#include <string>

namespace troupe::python {

namespace {

/// Name, number of classes (0: numbers), and whether some are masked.
using FieldArgument = std::tuple<std::string, Index, bool>;
/// The arrays of the inputs and of the targets, and the rows of them that belong to a section.
using SectionArgument = std::tuple<std::vector<py::array>, std::vector<py::array>, py::array>;

struct HandedProblem {
  std::shared_ptr<const ArrayProblem> problem;
  std::string handle;
};

FieldSpec field_of(const FieldArgument& argument, const py::array& array) {
  FieldSpec field;
  std::tie(field.name, field.classes, field.masked) = argument;
  field.type = field.classes > 0 ? ElementType::class_index : ElementType::float32;
  field.shape = {any_size};
  for (py::ssize_t i = 1; i < array.ndim(); ++i)
    field.shape.push_back(array.shape(i));
  return field;
}

std::vector<ArrayView> views_of(const std::vector<FieldSpec>& fields,
                                const std::vector<py::array>& arrays) {
  std::vector<ArrayView> views;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].type == ElementType::class_index)
      views.push_back({nullptr, span_of<std::int32_t>(arrays.at(i), "an array of classes").data()});
    else
      views.push_back({span_of<float>(arrays.at(i), "an array of numbers").data(), nullptr});
  return views;
}

HandedProblem problem_from(const std::vector<FieldArgument>& inputs,
                           const std::vector<FieldArgument>& targets,
                           const std::vector<SectionArgument>& sections) {
  DataSpec spec;
  const auto& [first_inputs, first_targets, unused] = sections.at(0);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    spec.inputs.push_back(field_of(inputs[i], first_inputs.at(i)));
  for (std::size_t i = 0; i < targets.size(); ++i)
    spec.targets.push_back(field_of(targets[i], first_targets.at(i)));
  ArrayProblem::Sections arrays;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto& [input_arrays, target_arrays, rows] = sections.at(i);
    arrays[i].inputs = views_of(spec.inputs, input_arrays);
    arrays[i].targets = views_of(spec.targets, target_arrays);
    const auto numbers = span_of<std::int64_t>(rows, "an array of rows");
    arrays[i].rows.assign(numbers.begin(), numbers.end());
  }
  const auto owner = kept(py::cast(sections));
  const py::gil_scoped_release free; // it reads all numbers once
  auto problem = std::make_shared<const ArrayProblem>(std::move(spec), std::move(arrays), owner);
  const auto handle = hand_over(problem);
  return {std::move(problem), handle};
}

/// The rows of a random or ordered split, by section.
std::vector<py::array> rows_of_split(Index rows, const std::string& split, double validation,
                                     double test, std::int64_t seed) {
  auto parts = split_rows(rows, {split, validation, test, seed});
  std::vector<py::array> arrays;
  for (auto* part : {&parts.train, &parts.validation, &parts.test})
    arrays.push_back(array_of(std::vector<std::int64_t>(part->begin(), part->end())));
  return arrays;
}

/// A field of a batch as an array; it keeps the batch.
py::array array_of_field(const std::shared_ptr<Batch>& batch, const FieldSpec& field,
                         const BasicBatchField<float>& numbers) {
  std::vector<py::ssize_t> shape(field.shape.begin(), field.shape.end());
  shape.front() = batch->size;
  if (field.type == ElementType::class_index)
    return array_over<std::int32_t>(numbers.classes, std::move(shape), batch);
  return array_over<float>(numbers.values, std::move(shape), batch);
}

py::dict batch_of(const HandedProblem& handed, const std::string& section,
                  const std::vector<Index>& rows) {
  const auto batch = std::make_shared<Batch>();
  handed.problem->gather(section_from(section), rows, *batch);
  const auto& spec = handed.problem->spec();
  py::dict fields;
  for (std::size_t i = 0; i < spec.inputs.size(); ++i)
    fields[spec.inputs[i].name.c_str()] = array_of_field(batch, spec.inputs[i], batch->inputs[i]);
  for (std::size_t i = 0; i < spec.targets.size(); ++i)
    fields[spec.targets[i].name.c_str()]
      = array_of_field(batch, spec.targets[i], batch->targets[i]);
  return fields;
}

std::vector<std::string> field_texts(const HandedProblem& handed) {
  std::vector<std::string> texts;
  for (const auto* fields : {&handed.problem->spec().inputs, &handed.problem->spec().targets})
    for (const auto& field : *fields)
      texts.push_back(to_string(field));
  return texts;
}

} // namespace

void bind_problem(py::module_& module) {
  module.def("split_rows", rows_of_split);
  py::class_<HandedProblem>(module, "ArrayProblem")
    .def(py::init(&problem_from))
    .def_readonly("handle", &HandedProblem::handle)
    .def("size",
         [](const HandedProblem& handed, const std::string& section) {
           return handed.problem->size(section_from(section));
         })
    .def("batch", batch_of)
    .def("fields", field_texts);
}

} // namespace troupe::python
