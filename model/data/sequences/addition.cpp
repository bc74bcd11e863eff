#include "model/data/sequences/addition.hpp"

#include "model/data/problem_kind.hpp"

namespace troupe {

namespace {

constexpr std::int32_t digit_zero = 1, plus_sign = 11, equals_sign = 12;

} // namespace

Addition::Addition(const AdditionOptions& options)
  : SequenceTask("addition", sizes_of(options),
                 {{".", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "+", "="}}, 3, 3) {}

void Addition::write(Index length, Random& random, std::span<float> tokens,
                     std::span<std::int32_t> answer) const {
  const auto n = static_cast<std::size_t>(length);
  tokens[n] = plus_sign;
  tokens[2 * n + 1] = equals_sign;
  std::int32_t carry = 0;
  for (auto i = n; i-- > 0;) { // from the least significant digit to the most significant
    const auto a = static_cast<std::int32_t>(random.below(10));
    const auto b = static_cast<std::int32_t>(random.below(10));
    tokens[i] = static_cast<float>(digit_zero + a);
    tokens[n + 1 + i] = static_cast<float>(digit_zero + b);
    answer[2 * n + 3 + i] = digit_zero + (a + b + carry) % 10;
    carry = (a + b + carry) / 10;
  }
  answer[2 * n + 2] = digit_zero + carry;
}

namespace {

const RegisterProblem addition_kind{problem_kind<Addition, AdditionOptions>("addition")};

} // namespace

} // namespace troupe
