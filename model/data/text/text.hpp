#pragma once

#include "model/data/fitted_problem.hpp"
#include "model/data/problem.hpp"
#include "model/data/section_sample.hpp"

namespace troupe {

struct TextOptions {
  std::string path = {}; ///< a file, plain or gzip, or a folder: its files *.txt and *.txt.gz are
                         ///< joined in the order of their names; byte-order marks are skipped
  Index length = 64;     ///< characters of a window, 1 .. 100000
  Index stride = 0;      ///< characters from one window to the next; 0: `length`, no overlap
  double validation_fraction = 0.1; ///< of the characters, those before the test section, 0 .. 1
  double test_fraction = 0.1;       ///< of the characters, the last ones, 0 .. 1
  Index streams = 0; ///< parts of each section that are read in parallel, so that a model can carry
                     ///< its state from batch to batch; 0: windows are independent
  TROUPE_FIELDS(path, length, stride, validation_fraction, test_fraction, streams);
};

/// Character-level text: each character is predicted from those before it.
///
///   text  float32      [any, length]  ids of characters, as integers
///   next  class_index  [any, length]  the id of the next character at each position
///
/// The sections are three consecutive pieces of the text, so that they do not overlap; the windows
/// of a section begin `stride` characters apart. The vocabulary, in Unicode order, is that of the
/// training piece, of its chosen windows, or of an earlier run's fit. A character that it lacks is
/// one more id in `text` and masked in `next`.
///
/// With n `streams` a section is cut into n equally long parts, and row k is window k / n of part k
/// % n; the remainder at the end is dropped. A batch of n consecutive rows, from a multiple of n
/// on, continues the batch before it.
class Text : public Problem, public FittedProblem {
public:
  /// @param fit of the text of an earlier run, from `fit`; "": fit it to this text
  /// @param choose selects the training windows, if these are not the whole training section
  /// @throws std::invalid_argument for invalid options; IoError, DataError for the files
  explicit Text(TextOptions options, const std::string& fit = "",
                const ChooseTrainingRows& choose = {});

  std::string name() const override { return "text"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override;
  /// @throws std::out_of_range for a row that the section does not have
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;
  /// The characters; invisible ones as "
  /// ", "\u00ad".
  std::vector<std::string> class_names() const override;
  /// {"problem": "text", "data": "0f3a9c01", "characters": "\n abc"}
  std::string fit() const override;
  std::vector<std::string> reading_notes() const override;

private:
  struct Piece { // of the text
    Index first = 0, end = 0;
  };
  const Piece& piece(Section section) const;
  Index windows(Section section) const;
  Index begin_of(Section section, Index row) const;
  std::vector<char32_t> trained(std::span<const char32_t> characters,
                                const ChooseTrainingRows& choose) const;
  bool continues(std::span<const Index> rows) const;

  TextOptions options_;
  DataSpec spec_;
  std::string data_ = "00000000";     // checksum of the text
  std::vector<char32_t> vocabulary_;  // sorted
  std::vector<std::string> skipped_;  // files of the folder
  std::vector<std::int32_t> classes_; // of the whole text; vocabulary_.size() for unknown
                                      // characters
  Piece train_, validation_, test_;
};

} // namespace troupe
