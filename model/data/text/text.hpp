#pragma once

#include "model/data/fitted_problem.hpp"
#include "model/data/problem.hpp"
#include "model/data/section_sample.hpp"

namespace troupe {

struct TextOptions {
  std::string path = {}; ///< a file, plain or gzip, or a folder: its files *.txt and *.txt.gz, in
                         ///< the order of their names, one after the other; byte-order
                         ///< marks do not count
  Index length = 64;     ///< characters of a window, 1 .. 100000
  Index stride = 0;      ///< characters from one window to the next; 0: `length`, no overlap
  double validation_fraction = 0.1; ///< of the characters, those before the test section's, 0 .. 1
  double test_fraction = 0.1;       ///< of the characters, the last ones, 0 .. 1
  Index streams = 0; ///< pieces of each section that are read side by side, so that a model can
                     ///< carry its state from batch to batch; 0: windows stand by themselves
  FIELDS(path, length, stride, validation_fraction, test_fraction, streams);
};

/// Text by character: the next character is to be predicted from those before it.
///
///   text  float32      [any, length]  ids of characters, whole numbers
///   next  class_index  [any, length]  the id of the character after each
///
/// The sections are three pieces of the text, from its beginning to its end, so that none is seen
/// in another; the windows of a section begin `stride` characters apart. The vocabulary, in the
/// order of Unicode, is that of the training piece, of the windows of it that are trained on, or of
/// an earlier text's. A character that it lacks is one more id in `text` and masked in `next`.
///
/// With `streams` n a section is cut into n pieces of as many windows, and row k is window k / n of
/// piece k % n; what is left over at its end is left out. A batch of n rows in their order, from a
/// multiple of n on, continues the one before it.
class Text : public Problem, public FittedProblem {
public:
  /// @param fit of the text of an earlier run, as `fit` gives it; "": this one is learned from
  /// @param choose the windows that are trained on, where they are not all of the training section
  /// @throws std::invalid_argument for options that cannot be; FileError, DataError for the files.
  explicit Text(TextOptions options, const std::string& fit = "",
                const ChooseTrainingRows& choose = {});

  std::string name() const override { return "text"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override;
  /// @throws std::out_of_range for a row that the section does not have.
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;
  /// The characters; those that cannot be seen as "\n", "\u00ad".
  std::vector<std::string> class_names() const override;
  /// {"problem": "text", "data": "0f3a9c01", "characters": "\n abc"}
  std::string fit() const override;
  std::vector<std::string> reading() const override;

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
  std::string data_ = "00000000";        // of the text: its checksum
  std::vector<char32_t> vocabulary_;     // sorted
  std::vector<std::string> passed_over_; // names of files of the folder
  std::vector<std::int32_t> classes_;    // of the whole text; vocabulary_.size(): unknown
  Piece train_, validation_, test_;
};

} // namespace troupe
