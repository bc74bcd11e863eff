// Several gates that act as one, each on its own conditions.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"
#include "messages/schedule/triggered.hpp"

#include <string>
#include <vector>

namespace troupe {

/// One of them. Give logic of the composite itself its own child, before or after the others.
struct CompositeChild {
  std::string name;      ///< unique among the children, not empty, without "."
  Conditions conditions; ///< when it is asked
  Extension extension;   ///< must not be null
};

/// What a composite has besides its children.
struct CompositeOptions {
  /// With a logger, children see the whole row of the log: their conditions see the records of
  /// other gates, and children that read the row themselves (track_the_best,
  /// finish_if_no_improvement) see the answers of the children before them. Without one, conditions
  /// see only the children's answers.
  Logger logger = {};
  PredicateRegistry predicates = {}; ///< for children's conditions with a predicate
  double deadline = 600;             ///< seconds for each answer, > 0
};

/// The conditions to subscribe the composite with, so that it receives each event for which a child
/// may fire and as few others as possible: the children's callbacks on the union of their
/// schedules, and before_training, where it starts counting.
Conditions composite_conditions(const std::vector<CompositeChild>& children);

/// A gate that asks its children in order, once for each condition that is true, as a trainer does:
/// a child sees the parameters that an earlier child has answered, and its conditions see the
/// records. It answers with the merged answers. A child's error becomes the composite's, with the
/// child's name, and later children are not asked.
///
/// It saves its children's states, with "<name>." before each value. As an observer it sends copies
/// to the children. It ends when no handle to it is left.
/// @throws std::invalid_argument for invalid names, conditions or options.
Extension spawn_composite(caf::actor_system& system, std::vector<CompositeChild> children,
                          CompositeOptions options = {});

} // namespace troupe
