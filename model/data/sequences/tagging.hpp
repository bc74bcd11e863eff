#pragma once

#include "model/data/sequences/sequence_task.hpp"

namespace troupe {

using TaggingOptions = SymbolOptions<20>; // symbols of a sequence

/// Each symbol gets a tag: the first of its kind in the sequence, the last, one between these
/// (inner), or the only one. The answer depends on the symbols to its left and to its right.
/// Sequences have any length up to `max_length`, followed by padding:
///
///   tokens   b    a     c    a     a    _ _     ids: the symbols 1 .. symbols; _ is masked_class
///   answer   only first only inner last - -     - is masked
class Tagging : public SequenceTask {
public:
  enum class Tag : std::int32_t { only, first, inner, last };

  /// @throws std::invalid_argument for options out of range
  explicit Tagging(const TaggingOptions& options = {});

private:
  void write(Index length, Random& random, std::span<float> tokens,
             std::span<std::int32_t> answer) const override;

  Index symbols_;
};

} // namespace troupe
