// When the children of a composite are asked.
#pragma once

#include "messages/loop/loop_event.hpp"
#include "messages/loop/saved_fields.hpp"
#include "messages/schedule/triggered.hpp"

#include <string>
#include <vector>

namespace troupe {

/// Evaluates the conditions of a composite's children on the current row, as a trainer would for
/// each of them.
class ChildConditions {
public:
  ChildConditions() = default;
  /// @throws std::invalid_argument for a predicate that is not registered.
  ChildConditions(std::vector<Conditions> children, PredicateRegistry predicates);

  /// Advances to an event: the first one starts counting, and each batch starts a row. Call it
  /// before the functions below.
  /// @throws std::invalid_argument for a timeline that is not registered.
  void follow(const LoopEvent& event);

  /// Whether a child's conditions at this event may depend on records of other extensions.
  bool want_row(const LoopEvent& event) const;

  /// The firings of child `i`; call it once for each event.
  /// @param logged the row as other extensions have written it so far
  std::vector<Firing> firings(std::size_t i, const LoopEvent& event, const Records& logged);

  /// Adds records that a child has answered for the row.
  void wrote(const Records& records);

  /// For a checkpoint: the row. After `restore` counting begins at 0 with the next run.
  SavedFields state() const;
  void restore(const SavedFields& state);

private:
  std::vector<Conditions> children_;
  PredicateRegistry predicates_;
  std::vector<Triggered> triggered_; ///< for each child; empty until the first event
  Records row_;                      ///< the children's answers for the current row
  Step batch_ = 0;                   ///< of that row
  bool restored_ = false;            ///< the next run continues the restored row
};

/// One subscription that covers all children: each callback, on the union of the schedules, for any
/// row; and before_training, where counting starts.
Conditions union_of(const std::vector<Conditions>& children);

} // namespace troupe
