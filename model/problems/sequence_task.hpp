#pragma once

#include "troupe/model/problem.hpp"
#include "troupe/model/random.hpp"

namespace troupe {

/// How many examples of a task there are, and how long.
struct SequenceSizes {
  Index min_length = 1, max_length = 10;               ///< symbols to work on, 1 .. 10000
  Index train = 10000, validation = 1000, test = 1000; ///< examples
  bool endless = true;   ///< training rows beyond `train` are new examples, without end
  std::int64_t seed = 0; ///< of the data, not of the run
};

/// Sequences of tokens, each with the tokens to be put out, made on the fly.
///
///   tokens  float32      [any, places]  ids of tokens, whole numbers; 0 is blank
///   answer  class_index  [any, places]  the token to put out at each place; masked_class where
///                                       nothing is asked for
///
/// Example k of a section is a function of (seed, section, k), computed without those before it.
class SequenceTask : public Problem {
public:
  std::string name() const override { return name_; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override;
  bool endless() const override { return sizes_.endless; }
  /// @throws std::out_of_range for a row that the section does not have.
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;
  /// How each token is written.
  std::vector<std::string> class_names() const override { return tokens_; }

protected:
  /// @param tokens how each is written, the blank first
  /// @param per_symbol, more  an example on n symbols has up to per_symbol n + more places
  /// @throws std::invalid_argument for sizes outside their ranges.
  SequenceTask(std::string name, SequenceSizes sizes, std::vector<std::string> tokens,
               Index per_symbol, Index more);

private:
  /// Writes an example on `length` symbols; `tokens` comes blank and `answer` masked.
  virtual void write(Index length, Random& random, std::span<float> tokens,
                     std::span<std::int32_t> answer) const = 0;

  std::string name_;
  SequenceSizes sizes_;
  std::vector<std::string> tokens_;
  DataSpec spec_;
};

} // namespace troupe
