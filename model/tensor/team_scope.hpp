#pragma once

#include "model/tensor/team.hpp"

namespace troupe {

/// Lends a team to what the calling thread computes while it lives, where that can be split without
/// changing a bit: the steps of optimizers (write_split). A matter of the thread, as ComputeScope
/// is, so that no optimizer has to know who trains with it. Lend none inside Team::run.
class TeamScope {
public:
  /// @param team null: none
  explicit TeamScope(Team* team) : former_(on_this_thread) { on_this_thread = team; }
  ~TeamScope() { on_this_thread = former_; }
  TeamScope(const TeamScope&) = delete;
  TeamScope& operator=(const TeamScope&) = delete;

  /// @returns the team that is lent to the calling thread; null: it works alone.
  static Team* lent() { return on_this_thread; }

private:
  static inline thread_local Team* on_this_thread = nullptr;
  Team* former_;
};

} // namespace troupe
