#include "model/data/sequences/recall.hpp"

#include "model/data/problem_kind.hpp"

namespace troupe {

namespace {

std::vector<std::string> recall_tokens(Index symbols) {
  auto tokens = symbol_tokens("recall", symbols);
  tokens.push_back("recall");
  return tokens;
}

} // namespace

Recall::Recall(Order order, const RecallOptions& options)
  : SequenceTask(order == Order::serial ? "serial_recall" : "reverse_recall", sizes_of(options),
                 {recall_tokens(options.symbols)}, 2, 1),
    order_(order),
    symbols_(options.symbols) {}

void Recall::write(Index length, Random& random, std::span<float> tokens,
                   std::span<std::int32_t> answer) const {
  const auto n = static_cast<std::size_t>(length);
  for (std::size_t i = 0; i < n; ++i) {
    const auto symbol = 1 + static_cast<std::int32_t>(random.below(symbols_));
    tokens[i] = static_cast<float>(symbol);
    answer[n + 1 + (order_ == Order::serial ? i : n - 1 - i)] = symbol;
  }
  tokens[n] = static_cast<float>(symbols_ + 1);
}

namespace {

const RegisterProblem serial_recall_kind{
  problem_kind<SerialRecall, RecallOptions>("serial_recall")};
const RegisterProblem reverse_recall_kind{
  problem_kind<ReverseRecall, RecallOptions>("reverse_recall")};

} // namespace

} // namespace troupe
