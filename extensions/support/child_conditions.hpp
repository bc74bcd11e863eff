// When the children of a composite are asked.
#pragma once

#include "messages/loop/loop_event.hpp"
#include "messages/schedule/triggered.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The conditions of several extensions at work inside one that is subscribed for all of them, and
/// the row that they look at. A trainer would do the same with each of them.
class ChildConditions {
public:
  ChildConditions() = default;
  /// @throws std::invalid_argument for a predicate that is not registered.
  ChildConditions(std::vector<Conditions> children, PredicateRegistry predicates);

  /// Comes to an event: begins to count at the first, and a row with each batch. Call it before
  /// what follows.
  /// @throws std::invalid_argument for a timeline that nobody has registered.
  void follow(const LoopEvent& event);

  /// Whether what a child does at this event may depend on records that others have written.
  bool want_row(const LoopEvent& event) const;

  /// How often the child of number `i` is to be asked, once for each event that was followed.
  /// @param logged the row as far as others have written it
  std::vector<Firing> firings(std::size_t i, const LoopEvent& event, const Records& logged);

  /// A child has answered records for the row.
  void wrote(const Records& records);

  /// For a checkpoint: the row. After `restore` counting begins anew with the next run.
  Records state() const;
  void restore(const Records& state);

private:
  std::vector<Conditions> children_;
  PredicateRegistry predicates_;
  std::vector<Triggered> triggered_; ///< of each child; empty until the first event
  Records row_;                      ///< what children have answered for the current row
  Step batch_ = 0;                   ///< of that row
  bool restored_ = false;            ///< the next run goes on in the row it has
};

/// One subscription for all of them: each callback, on the union of the schedules, whatever the
/// row; and before_training, where counting begins.
Conditions united(const std::vector<Conditions>& children);

} // namespace troupe
