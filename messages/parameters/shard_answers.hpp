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

/// Takes the values out of the answers. @pre is_complete(answers)
Parameters put_together(ShardAnswers& answers, const ShardMap& map);

/// Knows how far the marks of the shards are apart: pushes that have reached some of them only, and
/// will reach the others no more.
class ShardMarks {
public:
  explicit ShardMarks(std::size_t shards) : ahead_(shards, 0) {}

  /// Whether all shards have applied the same pushes. @pre is_complete(answers)
  bool fit_together(const ShardAnswers& answers) const;
  /// What has not come by now never will: the push of a worker that was lost while it pushed.
  void accept(const ShardAnswers& answers);

private:
  std::vector<std::uint64_t> ahead_; ///< mark of a shard less that of shard 0
};

} // namespace troupe
