#pragma once

#include "model/data/problem.hpp"
#include "model/data/sequences/curriculum.hpp"
#include "model/data/statistics_source.hpp"
#include "model/tensor/random.hpp"

namespace troupe {

/// How many examples of a task there are, and how long: the options of all tasks.
/// @tparam UsualLength the default of max_length
template <Index UsualLength>
struct SequenceOptions {
  Index min_length = 1;              ///< symbols to work on, at least
  Index max_length = UsualLength;    ///< and at most, up to 10000
  Index train = 10000;               ///< examples in an epoch, > 0
  Index validation = 1000;           ///< examples
  Index test = 1000;                 ///< examples
  bool endless = true;               ///< training rows beyond `train` are new examples, without end
  std::int64_t seed = 0;             ///< of the data, not of the run
  CurriculumOptions curriculum = {}; ///< of `max_length`, in training
  FIELDS(min_length, max_length, train, validation, test, endless, seed, curriculum);
};

/// The same, of a task on made-up symbols.
template <Index UsualLength>
struct SymbolOptions {
  Index symbols = 8; ///< different symbols, 1 .. 1000
  Index min_length = 1, max_length = UsualLength;
  Index train = 10000, validation = 1000, test = 1000;
  bool endless = true;
  std::int64_t seed = 0;
  CurriculumOptions curriculum = {};
  FIELDS(symbols, min_length, max_length, train, validation, test, endless, seed, curriculum);
};

/// What each task makes of its options.
using SequenceSizes = SequenceOptions<10>;
template <class Options>
SequenceSizes sizes_of(const Options& options) {
  return {options.min_length, options.max_length, options.train, options.validation,
          options.test,       options.endless,    options.seed,  options.curriculum};
}

/// The words of a task.
struct SequenceWords {
  std::vector<std::string> tokens;       ///< how each is written, the blank first
  std::vector<std::string> answers = {}; ///< how each class is written; none: tokens are put out
  bool padded = false; ///< tokens come as padding (masked_class) in place of blanks
};

/// ".", then a to z, or the symbols' numbers where there are more than 26.
/// @param who the task, for the sentence
/// @throws std::invalid_argument unless there are 1 to 1000 symbols.
std::vector<std::string> symbol_tokens(const std::string& who, Index symbols);

/// Sequences of tokens, each with the tokens to be put out, made on the fly.
///
///   tokens  float32      [any, places]  ids of tokens, whole numbers; 0 is blank, masked_class
///                                       padding, in tasks that have it
///   answer  class_index  [any, places]  what to put out at each place; masked_class where
///                                       nothing is asked for
///
/// Example k of a section is a function of (seed, section, k), computed without those before it.
/// A curriculum keeps those of the first epochs short, which a row k tells (Problem::endless);
/// validation and test have the full length throughout.
class SequenceTask : public Problem, public StatisticsSource {
public:
  std::string name() const override { return name_; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override;
  bool endless() const override { return sizes_.endless || curriculum_.is_on(); }
  Epoch curriculum_epochs() const override { return curriculum_.epochs(); }
  Index curriculum_length(Epoch epoch) const override {
    return curriculum_.is_on() ? curriculum_.length(epoch) : 0;
  }
  bool curriculum_must_finish() const override { return curriculum_.must_finish(); }
  /// @throws std::out_of_range for a row that the section does not have.
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;
  /// How each answer is written.
  std::vector<std::string> class_names() const override;

  /// seq_length, the mean over the batch's sequences of how long they are without the padding or
  /// blanks behind their last token and answer, and max_seq_length, the longest of them.
  std::vector<Statistic> statistics() const override;
  std::vector<double> collect_statistics(const Batch& batch,
                                         std::span<const float> prediction) const override;

protected:
  /// @param per_symbol, more  an example on n symbols has up to per_symbol n + more places
  /// @throws std::invalid_argument for sizes outside their ranges.
  SequenceTask(std::string name, SequenceSizes sizes, SequenceWords words, Index per_symbol,
               Index more);

private:
  Index longest(Section section, Index row) const; ///< of the row's epoch
  /// Writes an example on `length` symbols; `tokens` comes blank or padded, and `answer` masked.
  virtual void write(Index length, Random& random, std::span<float> tokens,
                     std::span<std::int32_t> answer) const = 0;

  std::string name_;
  SequenceSizes sizes_;
  Curriculum curriculum_;
  SequenceWords words_;
  DataSpec spec_;
};

} // namespace troupe
