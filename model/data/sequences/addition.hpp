#pragma once

#include "model/data/sequences/sequence_task.hpp"

namespace troupe {

using AdditionOptions = SequenceOptions<5>; // digits of each number

/// Two numbers with equally many decimal digits, and their sum with one digit more, most
/// significant digit first; leading zeros are possible. An example has 3 max_length + 3 positions:
///
///   tokens   4 7 + 8 5 = . . .       ids: . is 0, the digits 1 .. 10, + 11, = 12
///   answer   - - - - - - 1 3 2       - is masked
///
/// After Zaremba and Sutskever, "Learning to execute", arXiv:1410.4615, section 3.
class Addition : public SequenceTask {
public:
  /// @throws std::invalid_argument for options out of range
  explicit Addition(const AdditionOptions& options = {});

private:
  void write(Index length, Random& random, std::span<float> tokens,
             std::span<std::int32_t> answer) const override;
};

} // namespace troupe
