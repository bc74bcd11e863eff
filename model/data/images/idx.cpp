#include "model/data/images/idx.hpp"

#include "base/failure.hpp"
#include "model/data/images/grey.hpp"
#include "model/data/problem_kind.hpp"
#include "model/data/row_copies.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace troupe {

Idx::Pair Idx::read_pair(const std::string& images, const std::string& labels) {
  Pair pair;
  pair.images = read_idx(images, "images", 2, 4);
  const auto read = read_idx(labels, "labels", 1, 1);
  const auto* bytes = std::get_if<IdxBytes>(&read.elements);
  if (bytes == nullptr)
    throw DataError(labels
                    + ", byte 2: found labels of type 0x0d (32-bit floats), expected 0x08 "
                      "(unsigned bytes); convert the labels");
  pair.labels.assign(bytes->all().begin(), bytes->all().end());
  if (pair.images.shape[0] != static_cast<Index>(pair.labels.size()))
    throw DataError(labels + ", byte 4: found " + std::to_string(pair.labels.size())
                    + " labels, expected " + std::to_string(pair.images.shape[0])
                    + ", one for each image of " + images + "; give files that belong together");
  return pair;
}

Idx::Idx(IdxOptions options) : options_(std::move(options)) {
  if (options_.images.empty() || options_.labels.empty())
    throw std::invalid_argument("idx: give the paths of both images and labels");
  if (options_.test_images.empty() != options_.test_labels.empty())
    throw std::invalid_argument("idx: give both test_images and test_labels, or neither");
  const auto separate = !options_.test_images.empty();
  main_ = read_pair(options_.images, options_.labels);
  const auto rows = main_.images.shape[0];
  auto split = split_options(options_);
  if (separate)
    split.test_fraction = 0;
  split_ = split_rows(rows, split);
  const auto largest = *std::max_element(main_.labels.begin(), main_.labels.end());
  if (separate) {
    test_ = read_pair(options_.test_images, options_.test_labels);
    if (test_.images.elements.index() != main_.images.elements.index()
        || !std::equal(test_.images.shape.begin() + 1, test_.images.shape.end(),
                       main_.images.shape.begin() + 1, main_.images.shape.end()))
      throw DataError(options_.test_images + ", byte 2: found images "
                      + to_string(test_.images.shape) + ", expected the size and type of those in "
                      + options_.images + ", " + to_string(main_.images.shape)
                      + "; give files that belong together");
    const auto odd = std::find_if(test_.labels.begin(), test_.labels.end(),
                                  [largest](std::uint8_t label) { return label > largest; });
    if (odd != test_.labels.end())
      throw DataError(options_.test_labels + ", byte "
                      + std::to_string(8 + (odd - test_.labels.begin())) + ": found label "
                      + std::to_string(*odd) + ", expected 0 to " + std::to_string(largest)
                      + " as in " + options_.labels + "; give files that belong together");
    split_.test.resize(test_.labels.size());
    std::iota(split_.test.begin(), split_.test.end(), Index{0});
  }
  auto shape = main_.images.shape;
  shape[0] = any_size;
  spec_.inputs = {{"images", ElementType::float32, std::move(shape), 0}};
  spec_.targets = {{"label", ElementType::class_index, {any_size}, Index{largest} + 1}};
}

Index Idx::size(Section section) const { return static_cast<Index>(split_.of(section).size()); }

void Idx::gather(Section section, std::span<const Index> rows, Batch& batch) const {
  const auto& pair = section == Section::test && !test_.labels.empty() ? test_ : main_;
  const auto& of_file = split_.of(section);
  resize(batch, spec_, static_cast<Index>(rows.size()));
  const auto width = spec_.inputs[0].width();
  const auto row_at = [&](std::size_t i) { return row_of_file(of_file, rows[i]); };
  auto* x = batch.inputs[0].values.data();
  if (const auto* grey = std::get_if<IdxBytes>(&pair.images.elements)) {
    grey->check_unchanged();
    copy_each_row(grey->all().data(), width, rows.size(), row_at,
                  [&](std::size_t, const std::uint8_t* row) {
                    grey_to_float(row, static_cast<std::size_t>(width), x);
                    x += width;
                  });
  } else {
    copy_each_row(std::get<std::vector<float>>(pair.images.elements).data(), width, rows.size(),
                  row_at, [&](std::size_t, const float* row) { x = std::copy_n(row, width, x); });
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    batch.targets[0].classes[i] = pair.labels[static_cast<std::size_t>(row_at(i))];
}

std::vector<std::string> Idx::class_names() const {
  std::vector<std::string> names;
  for (Index c = 0; c < spec_.targets[0].classes; ++c)
    names.push_back(std::to_string(c));
  return names;
}

namespace {

const RegisterProblem idx_kind{problem_kind<Idx, IdxOptions>("idx")};

} // namespace

} // namespace troupe
