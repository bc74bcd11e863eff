#include "model/data/images/image_folder.hpp"

#include "base/failure.hpp"
#include "base/text/text.hpp"
#include "model/data/images/folder_files.hpp"
#include "model/data/images/grey.hpp"
#include "model/data/problem_kind.hpp"
#include "model/data/reading_threads.hpp"
#include "model/data/row_copies.hpp"
#include "model/formats/data_file.hpp"
#include "model/formats/png.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <stdexcept>

namespace troupe {

namespace {

/// JSON text in which bytes that are not UTF-8 are replaced.
std::string in_json(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// The names under `key`; none if there is no such key.
std::vector<std::string> classes_from(const std::string& fit, const char* key) {
  try {
    const auto json = nlohmann::json::parse(fit);
    return json.contains(key) ? json.at(key).get<std::vector<std::string>>()
                              : std::vector<std::string>{};
  } catch (const nlohmann::json::exception& e) {
    throw DataError(std::string{"the fit of the run's classes cannot be read: "} + e.what()
                    + "; restore its problem.json");
  }
}

/// "3 of 40 pictures are ..."
std::string of_pictures(Index count, std::size_t all, const std::string& what) {
  return std::to_string(count) + " of " + std::to_string(all) + " pictures " + what;
}

} // namespace

ImageFolder::ImageFolder(ImageFolderOptions options, const std::string& fit,
                         const ChooseTrainingRows& choose) {
  if (options.path.empty())
    throw std::invalid_argument("images: give the path of a folder");
  if (options.channels != 1 && options.channels != 3)
    throw std::invalid_argument("images: channels is " + std::to_string(options.channels)
                                + "; give 1 for grey or 3 for colours");
  const auto folders = folders_in(options.path);
  if (folders.taken.empty())
    throw DataError("the folder " + options.path
                    + " has no folders; give it a folder of PNG files for each class");
  skipped_ = folders.skipped;
  if (!fit.empty()) {
    names_ = classes_from(fit, "classes");
    untrained_ = classes_from(fit, "untrained");
  }
  std::vector<std::string> all;
  for (const auto& folder : folders.taken) {
    const auto files = files_in(folder, {".png"});
    skipped_.insert(skipped_.end(), files.skipped.begin(), files.skipped.end());
    if (files.taken.empty())
      throw DataError("the folder " + folder + " of a class has no file *.png; "
                      + (files.skipped.empty()
                           ? "add images or remove it"
                           : skipped_text(files.skipped, "files *.png") + "; convert them"));
    labels_.insert(labels_.end(), files.taken.size(), class_of(folder, !fit.empty()));
    all.insert(all.end(), files.taken.begin(), files.taken.end());
  }
  read_pictures(all, options.channels);
  split(options);
  if (fit.empty())
    keep_trained_classes(trained_rows(split_, choose));
  spec_.targets = {{"label",
                    ElementType::class_index,
                    {any_size},
                    static_cast<Index>(names_.size()),
                    !untrained_.empty()}};
}

/// `ordered` applies to each class separately: otherwise the last classes would occur in the test
/// section only.
void ImageFolder::split(const ImageFolderOptions& options) {
  const auto count = static_cast<Index>(labels_.size());
  if (options.split != "ordered") {
    split_ = split_rows(count, split_options(options));
    return;
  }
  for (Index begin = 0, end = 0; begin < count; begin = end) {
    const auto label = labels_[static_cast<std::size_t>(begin)];
    while (end < count && labels_[static_cast<std::size_t>(end)] == label)
      ++end;
    const auto of_class = split_rows(end - begin, split_options(options));
    for (const auto section : {Section::train, Section::validation, Section::test})
      for (const auto row : of_class.of(section))
        split_.of(section).push_back(begin + row);
  }
}

void ImageFolder::keep_trained_classes(std::span<const Index> training) {
  std::vector<std::int32_t> places(names_.size(), masked_class);
  for (const auto row : training)
    places[static_cast<std::size_t>(labels_[static_cast<std::size_t>(row)])] = 0;
  std::vector<std::string> trained;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] == masked_class) {
      untrained_.push_back(std::move(names_[i]));
    } else {
      places[i] = static_cast<std::int32_t>(trained.size());
      trained.push_back(std::move(names_[i]));
    }
  names_ = std::move(trained);
  for (auto& label : labels_)
    label = places[static_cast<std::size_t>(label)];
}

std::int32_t ImageFolder::class_of(const std::string& folder, bool fitted) {
  const auto name = std::filesystem::path(folder).filename().string();
  if (!fitted) {
    names_.push_back(name);
    return static_cast<std::int32_t>(names_.size()) - 1;
  }
  const auto is_it = [&name](const std::string& known) { return in_json(known) == in_json(name); };
  const auto found = std::find_if(names_.begin(), names_.end(), is_it);
  if (found != names_.end())
    return static_cast<std::int32_t>(found - names_.begin());
  if (std::any_of(untrained_.begin(), untrained_.end(), is_it))
    return masked_class;
  throw DataError("the folder " + folder + " is not a class that the model was trained on; these"
                  + " are " + joined(names_) + "; rename it to one of these, or remove it");
}

std::vector<std::string> ImageFolder::reading_notes() const {
  const auto all = labels_.size();
  std::vector<std::string> lines;
  if (coloured_ > 0 && spec_.inputs[0].shape.size() == 3)
    lines.push_back(of_pictures(coloured_, all,
                                "are stored in colours, which channels: 1 turns into grey; "
                                "problem.channels=3 keeps them"));
  if (transparent_ > 0)
    lines.push_back(
      of_pictures(transparent_, all, "have transparency, which is blended with black"));
  if (deep_ > 0)
    lines.push_back(of_pictures(deep_, all, "have 16 bits per channel, of which 8 are kept"));
  if (!skipped_.empty())
    lines.push_back(skipped_text(skipped_, "files *.png in the folders of the classes"));
  if (const auto masked = std::count(labels_.begin(), labels_.end(), masked_class); masked > 0)
    lines.push_back(of_pictures(masked, all,
                                "are of a class without training pictures: " + first_of(untrained_)
                                  + "; no metric counts them"));
  return lines;
}

std::string ImageFolder::fit() const {
  const auto sum
    = checksum(std::as_bytes(std::span{labels_}), checksum(std::as_bytes(std::span{pixels_})));
  nlohmann::ordered_json json{{"problem", name()}, {"data", sum}, {"classes", names_}};
  if (!untrained_.empty())
    json["untrained"] = untrained_;
  return in_json(json, 2) + "\n";
}

/// Reads on all cores. If several files are refused, the first one is reported.
void ImageFolder::read_pictures(const std::vector<std::string>& files, Index channels) {
  const auto first = read_png(files[0], channels);
  Shape shape{any_size, first.height, first.width};
  if (channels > 1)
    shape.push_back(channels);
  spec_.inputs = {{"images", ElementType::float32, std::move(shape), 0}};
  const auto bytes = first.pixels.size();
  pixels_.resize(files.size() * bytes);
  std::atomic<Index> coloured = 0, transparent = 0, deep = 0;
  const auto read = [&](std::size_t i) {
    const auto picture = read_png(files[i], channels);
    if (picture.width != first.width || picture.height != first.height)
      throw DataError(files[i] + ": found " + std::to_string(picture.width) + " by "
                      + std::to_string(picture.height) + " pixels, expected "
                      + std::to_string(first.width) + " by " + std::to_string(first.height)
                      + " as in " + files[0] + "; make all images of one size");
    std::copy(picture.pixels.begin(), picture.pixels.end(),
              pixels_.begin() + static_cast<std::ptrdiff_t>(i * bytes));
    coloured += picture.coloured ? 1 : 0;
    transparent += picture.transparent ? 1 : 0;
    deep += picture.deep ? 1 : 0;
  };
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::vector<std::exception_ptr> errors(files.size());
  on_reading_threads(files.size() / 64 + 1, [&](Index) {
    while (!failed) { // so that all files before one that is refused are read
      const auto i = next++;
      if (i >= files.size())
        return;
      try {
        read(i);
      } catch (const std::exception&) {
        errors[i] = std::current_exception();
        failed = true;
      }
    }
  });
  for (const auto& error : errors)
    if (error)
      std::rethrow_exception(error);
  coloured_ = coloured;
  transparent_ = transparent;
  deep_ = deep;
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

namespace {

const RegisterProblem image_folder_kind{problem_kind<ImageFolder, ImageFolderOptions>("images")};

} // namespace

} // namespace troupe
