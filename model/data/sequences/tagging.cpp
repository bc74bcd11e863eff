#include "model/data/sequences/tagging.hpp"

#include "model/data/problem_kind.hpp"

#include <algorithm>

namespace troupe {

Tagging::Tagging(const TaggingOptions& options)
  : SequenceTask("tagging", sizes_of(options),
                 {.tokens = symbol_tokens("tagging", options.symbols),
                  .answers = {"only", "first", "inner", "last"},
                  .padded = true},
                 1, 0),
    symbols_(options.symbols) {}

void Tagging::write(Index length, Random& random, std::span<float> tokens,
                    std::span<std::int32_t> answer) const {
  const auto sequence = tokens.first(static_cast<std::size_t>(length));
  for (auto& token : sequence)
    token = static_cast<float>(1 + random.below(symbols_));
  for (auto at = sequence.begin(); at != sequence.end(); ++at) {
    const auto before = std::find(sequence.begin(), at, *at) != at;
    const auto later = std::find(at + 1, sequence.end(), *at) != sequence.end();
    const auto tag = before ? (later ? Tag::inner : Tag::last) : later ? Tag::first : Tag::only;
    answer[static_cast<std::size_t>(at - sequence.begin())] = static_cast<std::int32_t>(tag);
  }
}

namespace {

const RegisterProblem tagging_kind{problem_kind<Tagging, TaggingOptions>("tagging")};

} // namespace

} // namespace troupe
