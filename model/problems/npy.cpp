#include "troupe/model/problems/npy.hpp"

#include "troupe/model/problems/data_error.hpp"
#include "troupe/model/problems/row_copies.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

FieldSpec npy_field(const std::string& name, const NpyArray& array, const std::string& path) {
  if (array.shape.empty() || std::count(array.shape.begin(), array.shape.end(), 0) > 0)
    throw DataError(path + " has the shape " + to_string(array.shape)
                    + ", expected rows, one for each example, of at least one number; give another "
                      "array");
  FieldSpec field{name, ElementType::float32, array.shape, 0};
  field.shape[0] = any_size;
  if (field.shape.size() == 1)
    field.shape.push_back(1);
  return field;
}

FieldSpec class_field(const std::string& name, const NpyArray& array, const std::string& path) {
  constexpr float most_classes = 1 << 20; // all of them exact as float
  auto field = npy_field(name, array, path);
  const auto [least, most] = std::minmax_element(array.values.begin(), array.values.end());
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
  field.type = ElementType::class_index;
  field.classes = static_cast<Index>(*most) + 1;
  field.masked = *least < 0;
  if (array.shape.size() == 1)
    field.shape = {any_size};
  return field;
}

} // namespace

Npy::Npy(const NpyOptions& options) {
  if (options.inputs.empty() || options.targets.empty())
    throw std::invalid_argument("npy: give the paths of both inputs and targets");
  auto inputs = read_npy(options.inputs), targets = read_npy(options.targets);
  spec_.inputs = {npy_field("inputs", inputs, options.inputs)};
  spec_.targets = {targets.whole ? class_field("targets", targets, options.targets)
                                 : npy_field("targets", targets, options.targets)};
  if (inputs.shape[0] != targets.shape[0])
    throw DataError(options.targets + " has " + std::to_string(targets.shape[0])
                    + " rows, expected " + std::to_string(inputs.shape[0]) + " as in "
                    + options.inputs + "; give arrays that belong together");
  split_ = split_rows(inputs.shape[0], options.validation_fraction, options.test_fraction,
                      options.split_seed);
  if (spec_.targets[0].masked)
    masked_ = static_cast<Index>(
      std::count(targets.values.begin(), targets.values.end(), float{masked_class}));
  inputs_ = std::move(inputs.values);
  targets_ = std::move(targets.values);
}

std::vector<std::string> Npy::reading() const {
  if (masked_ == 0)
    return {};
  return {std::to_string(masked_) + " of " + std::to_string(targets_.size())
          + " targets are -1 and do not count"};
}

void Npy::gather(Section section, std::span<const Index> rows, Batch& batch) const {
  resize(batch, spec_, static_cast<Index>(rows.size()));
  const auto width = spec_.inputs[0].width(), target_width = spec_.targets[0].width();
  const auto& of_file = split_.of(section);
  const auto row_at = [&](std::size_t i) { return row_of_file(of_file, rows[i]); };
  auto* x = batch.inputs[0].values.data();
  copy_each_row(inputs_.data(), width, rows.size(), row_at,
                [&](std::size_t, const float* row) { x = std::copy_n(row, width, x); });
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

} // namespace troupe
