#pragma once

#include "messages/loop/loop.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace troupe {

/// Who stands still and who has to go on for it: the decisions of a quiescence. A process that has
/// the holder to itself numbers its workers from 0 on, so that a WorkerId is a place here.
class QuiescedWorkers {
public:
  explicit QuiescedWorkers(std::size_t workers) : quiesced_(workers) {}

  /// From now on all of them shall stand.
  void call() { quiesced_.assign(quiesced_.size(), std::nullopt); }
  /// A worker stands, or does not train.
  void stands(std::size_t worker, const Quiesced& standing) { quiesced_[worker] = standing; }
  bool all_stand() const { return moving().empty(); }
  std::vector<std::size_t> moving() const;

  /// Whether somebody could have to go on for others.
  bool anyone_stands() const;
  /// Those of `held_up` wait for others. @returns who has to go on for them: whoever stands and
  /// trains, where one of those that wait does not stand yet. They stand no longer.
  std::vector<std::size_t> go_on_for(const std::vector<WorkerId>& held_up);

  /// The number of epochs after which all can end as the first of them would. @pre all stand
  Epoch common_epochs() const;

private:
  std::vector<std::optional<Quiesced>> quiesced_; ///< by worker; nothing: it moves
};

} // namespace troupe
