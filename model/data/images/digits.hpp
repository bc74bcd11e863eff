#pragma once

#include "model/data/problem.hpp"

#include <memory>

namespace troupe {

struct DigitsOptions {
  Index train = 20000;     ///< images, 1 .. 10 million
  Index validation = 4000; ///< images, 0 .. 10 million
  Index test = 4000;       ///< images, 0 .. 10 million
  bool endless = false;    ///< training rows beyond `train` are new images, without end
  std::int64_t seed = 0; ///< of the data, not of the run: who compares runs compares them on these
  FIELDS(train, validation, test, endless, seed);
};

/// Pictures of the ten digits as if written by hand, made on the fly: no file, no download.
///
///   images  float32      [any, 28, 28]  white ink on black, 0 .. 1
///   label   class_index  [any]          the digit
///
/// Image k of a section is a function of (seed, section, k), to the bit where the same build runs;
/// on another kind of processor a pixel may differ by one grey step. Any ten images 10 i .. 10 i +
/// 9 show each digit once. The first access to an image draws the 256 around it, which are kept as
/// bytes; endless rows are drawn anew each time. Drawing costs about 15 us an image, on one thread.
///
/// Calibrated with PyTorch on the default sizes, so that a run shows whether learning works: of the
/// test images a linear model gets 90.8 % right at best, in 100 epochs (limit: 92 %), and
/// 784-256-10 with ReLU passes 98.4 % within 8 and 98.8 % within 15 epochs of Adam at 0.001 in
/// batches of 64. Who changes digit_drawing or digit_skeletons has to do this again.
class Digits : public Problem {
public:
  /// @throws std::invalid_argument for sizes outside their ranges.
  explicit Digits(DigitsOptions options = {});
  ~Digits() override;

  std::string name() const override { return "digits"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override;
  bool endless() const override { return options_.endless; }
  /// @throws std::out_of_range for a row that the section does not have.
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
