#include "messages/parameters/shard_answers.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// The joined residual of one push: what the formats of all connections left out.
Block joined_residual(const ShardAnswers& answers, const ShardMap& map) {
  const auto exact = [](const auto& one) { return one->residual.empty(); };
  if (std::all_of(answers.begin(), answers.end(), exact))
    return {};
  std::vector<Block> parts;
  for (std::size_t shard = 0; shard < answers.size(); ++shard)
    parts.push_back(exact(answers[shard]) ? Block{map.range(shard).size()}
                                          : answers[shard]->residual);
  return map.joined(std::move(parts));
}

} // namespace

bool is_complete(const ShardAnswers& answers) {
  return std::all_of(answers.begin(), answers.end(),
                     [](const auto& one) { return one.has_value(); });
}

Parameters combine_answers(ShardAnswers& answers, const ShardMap& map) {
  Parameters whole;
  whole.version = answers.front()->version;
  whole.created = answers.front()->created;
  whole.mark = answers.front()->mark;
  whole.residual = joined_residual(answers, map);
  auto& time = whole.at_holder;
  time.arrived = answers.front()->at_holder.arrived; // each shard has a clock of its own
  time.answered = answers.front()->at_holder.answered;
  std::vector<Block> parts;
  for (auto& answer : answers) {
    whole.staleness = std::max(whole.staleness, answer->staleness);
    whole.not_before = std::max(whole.not_before, answer->not_before);
    const auto& at_shard = answer->at_holder;
    time.worked = std::max(time.worked, at_shard.worked);
    time.delayed = std::max(time.delayed, at_shard.delayed);
    if (at_shard.waited > time.waited) {
      time.waited = at_shard.waited;
      time.waited_for = at_shard.waited_for;
    }
    parts.push_back(std::move(answer->values));
  }
  whole.values = map.joined(std::move(parts));
  return whole;
}

bool ShardMarks::fit_together(const ShardAnswers& answers) const {
  for (std::size_t shard = 0; shard < answers.size(); ++shard)
    if (answers[shard]->mark - answers.front()->mark != ahead_[shard])
      return false;
  return true;
}

void ShardMarks::accept(const ShardAnswers& answers) {
  for (std::size_t shard = 0; shard < answers.size(); ++shard)
    ahead_[shard] = answers[shard]->mark - answers.front()->mark;
}

} // namespace troupe
