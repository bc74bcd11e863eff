#pragma once

#include "messages/loop/loop.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace troupe {

/// Decides which workers are quiesced and which have to continue for others. In a process that has
/// the holder to itself workers are numbered from 0, so a WorkerId is an index here.
class QuiescedWorkers {
public:
  explicit QuiescedWorkers(std::size_t workers) : quiesced_(workers) {}

  /// From now on all workers are to stop.
  void begin() { quiesced_.assign(quiesced_.size(), std::nullopt); }
  /// A worker has stopped, or does not train.
  void stopped(std::size_t worker, const Quiesced& standing) { quiesced_[worker] = standing; }
  bool all_stopped() const { return moving().empty(); }
  std::vector<std::size_t> moving() const;

  /// Whether some worker could have to continue for others.
  bool any_stopped() const;
  /// Those of `blocked` wait for other workers. @returns the workers that have to continue for
  /// them: all that have stopped and train, if a waiting worker has not stopped yet. They count as
  /// moving again.
  std::vector<std::size_t> continue_for(const std::vector<WorkerId>& blocked);

  /// The number of epochs after which all can end as the first of them would. @pre all have stopped
  Epoch common_epochs() const;

private:
  std::vector<std::optional<Quiesced>> quiesced_; ///< by worker; nothing: it moves
};

} // namespace troupe
