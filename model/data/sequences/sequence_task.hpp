#pragma once

#include "model/data/problem.hpp"
#include "model/data/sequences/curriculum.hpp"
#include "model/data/statistics_source.hpp"
#include "model/tensor/random.hpp"

namespace troupe {

/// Number and lengths of a task's examples: the options of all tasks.
/// @tparam UsualLength the default of max_length
template <Index UsualLength>
struct SequenceOptions {
  Index min_length = 1;              ///< minimum number of symbols
  Index max_length = UsualLength;    ///< maximum, up to 10000
  Index train = 10000;               ///< examples in an epoch, > 0
  Index validation = 1000;           ///< examples
  Index test = 1000;                 ///< examples
  bool endless = true;               ///< training rows beyond `train` are new examples, without end
  std::int64_t seed = 0;             ///< of the data, not of the run
  CurriculumOptions curriculum = {}; ///< of `max_length`, in training
  TROUPE_FIELDS(min_length, max_length, train, validation, test, endless, seed, curriculum);
};

/// The same for a task with artificial symbols.
template <Index UsualLength>
struct SymbolOptions {
  Index symbols = 8;                                   ///< different symbols, 1 .. 1000
  Index min_length = 1, max_length = UsualLength;      ///< numbers of symbols
  Index train = 10000, validation = 1000, test = 1000; ///< examples of each section
  bool endless = true;               ///< training rows beyond `train` are new examples
  std::int64_t seed = 0;             ///< of the data, not of the run
  CurriculumOptions curriculum = {}; ///< of `max_length`, in training
  TROUPE_FIELDS(symbols, min_length, max_length, train, validation, test, endless, seed,
                curriculum);
};

/// The options common to all tasks.
using SequenceSizes = SequenceOptions<10>;
template <class Options>
SequenceSizes sizes_of(const Options& options) {
  return {options.min_length, options.max_length, options.train, options.validation,
          options.test,       options.endless,    options.seed,  options.curriculum};
}

/// The vocabulary of a task.
struct TaskVocabulary {
  std::vector<std::string> tokens;       ///< text of each token, the blank first
  std::vector<std::string> answers = {}; ///< text of each class; empty: the tokens
  bool padded = false;                   ///< the tail is padding (masked_class) instead of blanks
};

/// ".", then a to z, or the symbols' numbers where there are more than 26.
/// @param who the task, for messages
/// @throws std::invalid_argument unless there are 1 to 1000 symbols
std::vector<std::string> symbol_tokens(const std::string& who, Index symbols);

/// Generated sequences of tokens, each with an answer of tokens.
///
///   tokens  float32      [any, places]  ids of tokens, as integers; 0 is blank; masked_class is
///                                       padding, in tasks that have it
///   answer  class_index  [any, places]  the answer at each position; masked_class if there
///                                       is none
///
/// Example k of a section is a function of (seed, section, k), computed without those before it. A
/// curriculum keeps the examples of the first epochs short; the row k determines the epoch
/// (Problem::endless). Validation and test have the full length throughout.
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
  /// @throws std::out_of_range for a row that the section does not have
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;
  /// The text of each answer class.
  std::vector<std::string> class_names() const override;

  /// seq_length, the mean length of the batch's sequences up to their last token or answer, without
  /// padding and blanks, and max_seq_length, the largest of these lengths.
  std::vector<Statistic> statistics() const override;
  std::vector<double> collect_statistics(const Batch& batch,
                                         std::span<const float> prediction) const override;

protected:
  /// @param per_symbol, more  an example with n symbols has up to per_symbol n + more positions
  /// @throws std::invalid_argument for sizes out of range
  SequenceTask(std::string name, SequenceSizes sizes, TaskVocabulary vocabulary, Index per_symbol,
               Index more);

private:
  Index longest(Section section, Index row) const; ///< in the row's epoch
  /// Writes an example with `length` symbols; `tokens` is blank or padding before, and `answer`
  /// masked.
  virtual void write(Index length, Random& random, std::span<float> tokens,
                     std::span<std::int32_t> answer) const = 0;

  std::string name_;
  SequenceSizes sizes_;
  Curriculum curriculum_;
  TaskVocabulary vocabulary_;
  DataSpec spec_;
};

} // namespace troupe
