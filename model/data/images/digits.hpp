#pragma once

#include "model/data/problem.hpp"

#include <memory>

namespace troupe {

/// The options of the problem `digits`.
struct DigitsOptions {
  Index train = 20000;     ///< images, 1 .. 10 million
  Index validation = 4000; ///< images, 0 .. 10 million
  Index test = 4000;       ///< images, 0 .. 10 million
  bool endless = false;    ///< training rows beyond `train` are new images, without end
  std::int64_t seed = 0; ///< of the data, not of the run, so that runs can be compared on the same
                         ///< data
  TROUPE_FIELDS(train, validation, test, endless, seed);
};

/// Pictures of the ten digits in synthetic handwriting: no file, no download.
///
///   images  float32      [any, 28, 28]  white ink on black, 0 .. 1
///   label   class_index  [any]          the digit
///
/// Image k of a section is a function of (seed, section, k), bit for bit with the same build; on
/// another kind of processor a pixel may differ by one grey step. Images 10 i .. 10 i + 9 show each
/// digit once. The first access to an image draws the 256 around it, which are kept as bytes;
/// endless rows are drawn each time. Drawing an image takes about 15 us on one thread.
///
/// Calibrated with PyTorch on the default sizes, so that a run shows whether learning works: a
/// linear model reaches at most 90.8 % of the test images in 100 epochs (limit: 92 %), and
/// 784-256-10 with ReLU passes 98.4 % within 8 and 98.8 % within 15 epochs of Adam at 0.001 with
/// batches of 64. Repeat the calibration after a change to digit_drawing or digit_skeletons.
class Digits : public Problem {
public:
  /// @throws std::invalid_argument for sizes out of range
  explicit Digits(DigitsOptions options = {});
  ~Digits() override;

  std::string name() const override { return "digits"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override;
  bool endless() const override { return options_.endless; }
  /// @throws std::out_of_range for a row that the section does not have
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;
  std::vector<std::string> class_names() const override;

private:
  class Gallery; // the images of a section

  const Gallery& gallery(Section section) const;

  DigitsOptions options_;
  DataSpec spec_;
  std::vector<std::unique_ptr<Gallery>> galleries_; // train, validation, test
};

} // namespace troupe
