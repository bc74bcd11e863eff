#pragma once

#include "model/data/fitted_problem.hpp"
#include "model/data/problem.hpp"
#include "model/data/split.hpp"

namespace troupe {

struct ImageFolderOptions {
  std::string path = {};            ///< a folder with a folder of PNG files for each class
  Index channels = 1;               ///< 1: grey, 3: red, green, blue; files are converted
  std::string split = "random";     ///< random, ordered: split.hpp
  double validation_fraction = 0.1; ///< of the images, 0 .. 1
  double test_fraction = 0.1;       ///< of the images, 0 .. 1
  std::int64_t split_seed = 0;      ///< determines which image belongs to which section
  TROUPE_FIELDS(path, channels, split, validation_fraction, test_fraction, split_seed);
};

/// Labelled images from PNG files, `path/<class>/<any name>.png`, all of one size.
///
///   images  float32      [any, height, width] or [any, height, width, 3]  0 .. 1
///   label   class_index  [any]  the folder, in the order of names, or of the earlier run's fit
///
/// Transparent pixels are blended with black. Bytes stay bytes in memory; gather converts them.
/// Files whose names begin with a dot are ignored; so are files that are not called *.png, in any
/// case, but `reading` reports these. Classes are those of the training images; images of other
/// classes are masked.
class ImageFolder : public Problem, public FittedProblem {
public:
  /// @param fit of the folder of an earlier run, from `fit`; "": learn the names of this folder
  /// @param choose selects the training images, if these are not the whole training section
  /// @throws std::invalid_argument for invalid options; IoError, DataError for the files, also
  ///         for a class that the fit lacks
  explicit ImageFolder(ImageFolderOptions options, const std::string& fit = "",
                       const ChooseTrainingRows& choose = {});

  std::string name() const override { return "images"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override {
    return static_cast<Index>(split_.of(section).size());
  }
  /// @throws std::out_of_range for a row that the section does not have
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;
  /// The folders' names.
  std::vector<std::string> class_names() const override { return names_; }
  /// {"problem": "images", "data": "0f3a9c01", "classes": ["cat", "dog"]}
  std::string fit() const override;
  std::vector<std::string> reading_notes() const override;

private:
  std::int32_t class_of(const std::string& folder, bool fitted);
  void read_pictures(const std::vector<std::string>& files, Index channels);
  void split(const ImageFolderOptions& options);
  void keep_trained_classes(std::span<const Index> training);

  DataSpec spec_;
  std::vector<std::string> names_;                  // of the classes
  std::vector<std::int32_t> labels_;                // of each image
  std::vector<std::uint8_t> pixels_;                // of all images, one after the other
  std::vector<std::string> untrained_;              // classes without a training image
  std::vector<std::string> skipped_;                // names of files
  Index coloured_ = 0, transparent_ = 0, deep_ = 0; // files: Picture
  Split split_;
};

} // namespace troupe
