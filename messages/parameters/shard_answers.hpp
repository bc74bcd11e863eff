// The answers of several holders to one request, each with its range of the parameters.
#pragma once

#include "messages/parameters/parameters.hpp"
#include "messages/parameters/shard_map.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace troupe {

using ShardAnswers = std::vector<std::optional<Parameters>>; ///< by shard; empty: none yet

bool is_complete(const ShardAnswers& answers);

/// Combines the answers, moving their values. @pre is_complete(answers)
Parameters combine_answers(ShardAnswers& answers, const ShardMap& map);

/// Tracks how far the marks of the shards differ: pushes that have reached only some shards, and
/// will never reach the others.
class ShardMarks {
public:
  explicit ShardMarks(std::size_t shards) : ahead_(shards, 0) {}

  /// Whether all shards have applied the same pushes. @pre is_complete(answers)
  bool fit_together(const ShardAnswers& answers) const;
  /// Accepts the present differences as permanent: pushes of workers that were lost while pushing.
  void accept(const ShardAnswers& answers);

private:
  std::vector<std::uint64_t> ahead_; ///< mark of a shard minus that of shard 0
};

} // namespace troupe
