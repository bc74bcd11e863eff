#pragma once

#include "model/data/sequences/sequence_task.hpp"

namespace troupe {

using TaggingOptions = SymbolOptions<20>; // symbols of a sequence

/// Each symbol is to be tagged: is it the first of its kind in the sequence, the last, one between
/// these (inner), or the only one? So what stands to its left counts, and what stands to its right.
/// Sequences are of any length up to `max_length`, with padding behind them:
///
///   tokens   b    a     c    a     a    _ _     ids: the symbols 1 .. symbols, padding
///   masked_class answer   only first only inner last - -     - is masked
class Tagging : public SequenceTask {
public:
  enum class Tag : std::int32_t { only, first, inner, last };

  /// @throws std::invalid_argument for options outside their ranges.
  explicit Tagging(const TaggingOptions& options = {});

private:
  void write(Index length, Random& random, std::span<float> tokens,
             std::span<std::int32_t> answer) const override;

  Index symbols_;
};

} // namespace troupe
