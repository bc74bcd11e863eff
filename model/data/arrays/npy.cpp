#include "model/data/arrays/npy.hpp"

#include "base/failure.hpp"
#include "model/data/problem_kind.hpp"
#include "model/data/row_copies.hpp"
#include "model/formats/data_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace troupe {

namespace {

/// True if each row has one 1 and only 0 otherwise.
bool is_one_hot(const NpyArray& array) {
  if (array.shape.size() != 2 || array.shape[1] < 2)
    return false;
  const auto width = static_cast<std::size_t>(array.shape[1]);
  for (std::size_t at = 0; at < array.values.size(); at += width) {
    const auto* row = array.values.data() + at;
    if (std::count(row, row + width, 1.0f) != 1
        || std::count(row, row + width, 0.0f) != array.shape[1] - 1)
      return false;
  }
  return !array.values.empty();
}

/// The class of each row of a one-hot array.
NpyArray classes_of_rows(const NpyArray& array) {
  NpyArray classes;
  classes.shape = {array.shape[0]};
  classes.whole = array.whole;
  const auto width = static_cast<std::size_t>(array.shape[1]);
  for (std::size_t at = 0; at < array.values.size(); at += width) {
    const auto* row = array.values.data() + at;
    classes.values.push_back(static_cast<float>(std::find(row, row + width, 1.0f) - row));
  }
  return classes;
}

Index class_count_in(const std::string& fit) {
  try {
    return nlohmann::json::parse(fit).at("class_count").get<Index>();
  } catch (const nlohmann::json::exception& e) {
    throw DataError(std::string{"the fit of the run's arrays cannot be read: "} + e.what()
                    + "; restore its problem.json");
  }
}

FieldSpec npy_field(const std::string& name, const Shape& shape, const std::string& path) {
  if (shape.empty() || std::count(shape.begin(), shape.end(), 0) > 0)
    throw DataError(path + " has the shape " + to_string(shape)
                    + ", expected rows, one for each example, of at least one number; give another "
                      "array");
  FieldSpec field{name, ElementType::float32, shape, 0};
  field.shape[0] = any_size;
  if (field.shape.size() == 1)
    field.shape.push_back(1);
  return field;
}

FieldSpec class_field(const std::string& name, const NpyArray& array, const std::string& path) {
  constexpr float most_classes = 1 << 20; // each exact as a float
  constexpr Index few_classes = 1000;     // so few that some may be missing
  auto field = npy_field(name, array.shape, path);
  const auto [least, most] = std::minmax_element(array.values.begin(), array.values.end());
  if (*least == masked_class && *most == masked_class)
    throw DataError(path + " has no class: all of it is -1, which is masked; give some a class");
  if (*least < masked_class || *most < 0 || *most >= most_classes)
    throw DataError(path + " has classes from " + std::to_string(std::llround(*least)) + " to "
                    + std::to_string(std::llround(*most))
                    + ", expected 0 and above, or -1 where masked; for a regression save floats");
  const auto masked = std::count(array.values.begin(), array.values.end(), float{masked_class});
  if (masked > 0
      && masked + std::count(array.values.begin(), array.values.end(), 1.0f)
           == static_cast<std::ptrdiff_t>(array.values.size()))
    throw DataError(path + " has the classes -1 and 1, of which -1 is masked, so that one is left; "
                    + "save two classes as 0 and 1");
  field.classes = static_cast<Index>(*most) + 1;
  const std::set<float> different(array.values.begin(), array.values.end());
  if (const auto occur = static_cast<Index>(different.size()) - (*least < 0 ? 1 : 0);
      field.classes > few_classes && field.classes > 10 * occur)
    throw DataError(path + " has " + std::to_string(occur)
                    + " different classes, but the largest is " + std::to_string(field.classes - 1)
                    + ", which takes a model with " + std::to_string(field.classes)
                    + " outputs; number the classes from 0, like numpy.unique(y, "
                      "return_inverse=True)[1]; for a regression save floats");
  field.type = ElementType::class_index;
  field.masked = *least < 0;
  if (array.shape.size() == 1)
    field.shape = {any_size};
  return field;
}

} // namespace

Npy::Npy(const NpyOptions& options, const std::string& fit) {
  if (options.inputs.empty() || options.targets.empty())
    throw std::invalid_argument("npy: give the paths of both inputs and targets");
  inputs_.emplace(options.inputs);
  auto targets = read_npy(options.targets);
  const auto& shape = inputs_->shape();
  spec_.inputs = {npy_field("inputs", shape, options.inputs)};
  data_ = inputs_->checked_sum();
  check_finite(targets, options.targets);
  if (!fit.empty())
    classes_ = class_count_in(fit);
  if (!fit.empty() && classes_ == 0) // the run read integers as numbers
    targets.whole = false;
  one_hot_ = is_one_hot(targets);
  if (one_hot_ && targets.whole)
    targets = classes_of_rows(targets);
  if (classes_ > 0)
    check_known(targets, options.targets);
  spec_.targets = {targets.whole ? class_field("targets", targets, options.targets)
                                 : npy_field("targets", targets.shape, options.targets)};
  if (classes_ > 0)
    spec_.targets[0].classes = classes_;
  if (shape[0] != targets.shape[0])
    throw DataError(options.targets + " has " + std::to_string(targets.shape[0])
                    + " rows, expected " + std::to_string(shape[0]) + " as in " + options.inputs
                    + "; give arrays that belong together");
  split_ = split_rows(shape[0], split_options(options));
  if (spec_.targets[0].masked)
    masked_ = static_cast<Index>(
      std::count(targets.values.begin(), targets.values.end(), float{masked_class}));
  data_ = checksum(std::as_bytes(std::span{targets.values}), data_);
  targets_ = std::move(targets.values);
}

void Npy::check_known(const NpyArray& targets, const std::string& path) const {
  if (!targets.whole)
    throw DataError(path
                    + " holds floats, expected integers, which are classes, as the model was "
                      "trained on; save them as integers");
  const auto odd = std::find_if(targets.values.begin(), targets.values.end(), [this](float label) {
    return label >= static_cast<float>(classes_);
  });
  if (odd != targets.values.end())
    throw DataError(
      place_in(targets.shape, path, static_cast<std::size_t>(odd - targets.values.begin()))
      + ": found class " + std::to_string(std::llround(*odd)) + ", expected 0 to "
      + std::to_string(classes_ - 1)
      + ", as the model was trained on; correct it, or train a new model");
}

std::string Npy::fit() const {
  const nlohmann::ordered_json json{
    {"problem", name()}, {"data", data_}, {"class_count", spec_.targets[0].classes}};
  return json.dump(2) + "\n";
}

std::vector<std::string> Npy::reading_notes() const {
  std::vector<std::string> lines;
  const auto of_classes = spec_.targets[0].type == ElementType::class_index;
  if (one_hot_)
    lines.push_back("each row of targets has one 1 and else 0 (one-hot): "
                    + (of_classes
                         ? "read as one of " + std::to_string(spec_.targets[0].classes)
                             + " classes; save floats where they are numbers"
                         : "read as numbers, since they are floats; save integers where they "
                           "are classes"));
  if (masked_ > 0)
    lines.push_back(std::to_string(masked_) + " of " + std::to_string(targets_.size())
                    + " targets are -1 and do not count");
  return lines;
}

void Npy::gather(Section section, std::span<const Index> rows, Batch& batch) const {
  resize(batch, spec_, static_cast<Index>(rows.size()));
  const auto width = spec_.inputs[0].width(), target_width = spec_.targets[0].width();
  const auto& of_file = split_.of(section);
  const auto row_at = [&](std::size_t i) { return row_of_file(of_file, rows[i]); };
  auto* x = batch.inputs[0].values.data();
  inputs_->check_unchanged();
  copy_each_row(inputs_->elements(), inputs_->row_bytes(), rows.size(), row_at,
                [&](std::size_t, const char* row) {
                  inputs_->convert(row, {x, static_cast<std::size_t>(width)});
                  x += width;
                });
  auto& target = batch.targets[0];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto to = static_cast<Index>(i) * target_width;
    const auto* y = targets_.data() + row_at(i) * target_width;
    if (target.classes.empty())
      std::copy_n(y, target_width, target.values.data() + to);
    else
      std::transform(y, y + target_width, target.classes.data() + to,
                     [](float c) { return static_cast<std::int32_t>(c); });
  }
}

namespace {

const RegisterProblem npy_kind{problem_kind<Npy, NpyOptions>("npy")};

} // namespace

} // namespace troupe
