#pragma once

#include "model/data/problem.hpp"
#include "model/data/split.hpp"
#include "model/formats/idx_reader.hpp"

namespace troupe {

struct IdxOptions {
  std::string images = {};          ///< path of an IDX file of rank 2 .. 4, plain or gzip
  std::string labels = {};          ///< path of an IDX file of bytes, rank 1, plain or gzip
  std::string test_images = {};     ///< "": the test section is taken from `images`
  std::string test_labels = {};     ///< likewise
  std::string split = "random";     ///< random, ordered: split.hpp
  double validation_fraction = 0.1; ///< of the rows of `images`, 0 .. 1
  double test_fraction = 0.1;       ///< likewise; ignored if test_images is given
  std::int64_t split_seed = 0;      ///< determines which row belongs to which section
  TROUPE_FIELDS(images, labels, test_images, test_labels, split, validation_fraction, test_fraction,
                split_seed);
};

/// Labelled images in the format of MNIST.
///
///   images  float32      [any, ...]  as in the file; bytes become 0 .. 1, floats stay
///   label   class_index  [any]       classes: the largest label of `labels` plus 1
///
/// Bytes stay bytes, in the file if it is plain, and gather converts them. If a plain file is
/// written meanwhile, the next batch is refused; mapped_file.hpp says what is not noticed.
class Idx : public Problem {
public:
  /// @throws std::invalid_argument for invalid options; IoError, DataError for the files
  explicit Idx(IdxOptions options);

  std::string name() const override { return "idx"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override;
  /// @throws std::out_of_range for a row that the section does not have; DataError if the file of
  ///         the images was written since it was opened
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;
  std::vector<std::string> class_names() const override;

private:
  struct Pair { // images and labels of the same length
    IdxArray images;
    std::vector<std::uint8_t> labels;
  };
  static Pair read_pair(const std::string& images, const std::string& labels);

  IdxOptions options_;
  DataSpec spec_;
  Pair main_, test_; // test_ is empty if there are no separate files
  Split split_;
};

} // namespace troupe
