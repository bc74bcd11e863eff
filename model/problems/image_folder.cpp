#include "troupe/model/problems/image_folder.hpp"

#include "troupe/model/png.hpp"
#include "troupe/model/problems/data_error.hpp"
#include "troupe/model/problems/data_file.hpp"
#include "troupe/model/problems/grey.hpp"
#include "troupe/model/problems/row_copies.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace troupe {

namespace {

/// What lies in a folder and is not hidden, by name: folders, or files called *.png.
std::vector<std::filesystem::path> listed(const std::filesystem::path& folder, bool folders) {
  namespace fs = std::filesystem;
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto& path = entry->path();
    if (path.filename().string().starts_with('.'))
      continue;
    if (folders ? file_type_of(*entry) == fs::file_type::directory
                : path.extension() == ".png" || path.extension() == ".PNG")
      found.push_back(path);
  }
  if (error)
    throw FileError("cannot read the folder " + folder.string() + ": " + error.message()
                    + "; give a folder with a folder of PNG files for each class");
  std::sort(found.begin(), found.end());
  return found;
}

/// A name, and what becomes of one that is not UTF-8.
std::string in_json(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<std::string> classes_from(const std::string& fit) {
  try {
    return nlohmann::json::parse(fit).at("classes").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception& e) {
    throw DataError(std::string{"the classes that the run has learned cannot be read: "} + e.what()
                    + "; restore its problem.json");
  }
}

} // namespace

ImageFolder::ImageFolder(ImageFolderOptions options, const std::string& fit) {
  if (options.path.empty())
    throw std::invalid_argument("images: give the path of a folder");
  if (options.channels != 1 && options.channels != 3)
    throw std::invalid_argument("images: channels is " + std::to_string(options.channels)
                                + "; give 1 for grey or 3 for colours");
  const auto folders = listed(options.path, true);
  if (folders.empty())
    throw DataError("the folder " + options.path
                    + " has no folders; give it a folder of PNG files for each class");
  if (!fit.empty())
    names_ = classes_from(fit);
  for (const auto& folder : folders) {
    const auto files = listed(folder, false);
    if (files.empty())
      throw DataError("the folder " + folder.string()
                      + " of a class has no file *.png; add images or remove it");
    const auto label = class_of(folder.string(), !fit.empty());
    for (const auto& file : files)
      read(file.string(), label, options.channels);
  }
  spec_.targets
    = {{"label", ElementType::class_index, {any_size}, static_cast<Index>(names_.size())}};
  split_ = split_rows(static_cast<Index>(labels_.size()), options.validation_fraction,
                      options.test_fraction, options.split_seed);
}

std::int32_t ImageFolder::class_of(const std::string& folder, bool fitted) {
  const auto name = std::filesystem::path(folder).filename().string();
  if (!fitted) {
    names_.push_back(name);
    return static_cast<std::int32_t>(names_.size()) - 1;
  }
  std::string known;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (in_json(names_[i]) == in_json(name))
      return static_cast<std::int32_t>(i);
    known += (known.empty() ? "" : ", ") + names_[i];
  }
  throw DataError("the folder " + folder + " is of no class that the model was trained on, which"
                  + " are " + known + "; call it as one of them, or take it away");
}

std::string ImageFolder::fit() const {
  const auto sum
    = checksum(std::as_bytes(std::span{labels_}), checksum(std::as_bytes(std::span{pixels_})));
  const nlohmann::ordered_json json{{"problem", name()}, {"data", sum}, {"classes", names_}};
  return in_json(json, 2) + "\n";
}

void ImageFolder::read(const std::string& file, std::int32_t label, Index channels) {
  const auto picture = read_png(file, channels);
  Shape shape{any_size, picture.height, picture.width};
  if (channels > 1)
    shape.push_back(channels);
  if (spec_.inputs.empty()) {
    spec_.inputs = {{"images", ElementType::float32, std::move(shape), 0}};
    first_file_ = file;
  } else if (shape != spec_.inputs[0].shape) {
    const auto& first = spec_.inputs[0].shape;
    throw DataError(file + ": found " + std::to_string(picture.width) + " by "
                    + std::to_string(picture.height) + " pixels, expected "
                    + std::to_string(first[2]) + " by " + std::to_string(first[1]) + " as in "
                    + first_file_ + "; make all images of one size");
  }
  pixels_.insert(pixels_.end(), picture.pixels.begin(), picture.pixels.end());
  labels_.push_back(label);
}

void ImageFolder::gather(Section section, std::span<const Index> rows, Batch& batch) const {
  resize(batch, spec_, static_cast<Index>(rows.size()));
  const auto& of_file = split_.of(section);
  const auto width = spec_.inputs[0].width();
  const auto image_at = [&](std::size_t i) { return row_of_file(of_file, rows[i]); };
  auto* x = batch.inputs[0].values.data();
  copy_each_row(pixels_.data(), width, rows.size(), image_at,
                [&](std::size_t i, const std::uint8_t* pixels) {
                  grey_to_float(pixels, static_cast<std::size_t>(width), x);
                  x += width;
                  batch.targets[0].classes[i] = labels_[static_cast<std::size_t>(image_at(i))];
                });
}

} // namespace troupe
