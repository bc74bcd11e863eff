#pragma once

#include "model/data/sequences/sequence_task.hpp"

namespace troupe {

using RecallOptions = SymbolOptions<10>; // symbols to remember

/// Some symbols, then the token "recall": now the symbols must be repeated, in the same or in
/// reverse order. An example has 2 max_length + 1 positions:
///
///   tokens   a b c recall . . . .      ids: . is 0, the symbols 1 .. symbols, recall symbols + 1
///   answer   - - - -      a b c -      - is masked
///
/// The copy task of Graves et al., "Neural Turing Machines", arXiv:1410.5401, section 4.1, with
/// symbols instead of random bits.
class Recall : public SequenceTask {
public:
  enum class Order { serial, reverse };

  /// @throws std::invalid_argument for options out of range
  explicit Recall(Order order, const RecallOptions& options = {});

private:
  void write(Index length, Random& random, std::span<float> tokens,
             std::span<std::int32_t> answer) const override;

  Order order_;
  Index symbols_;
};

/// "serial_recall"
class SerialRecall : public Recall {
public:
  explicit SerialRecall(const RecallOptions& options = {}) : Recall(Order::serial, options) {}
};

/// "reverse_recall"
class ReverseRecall : public Recall {
public:
  explicit ReverseRecall(const RecallOptions& options = {}) : Recall(Order::reverse, options) {}
};

} // namespace troupe
