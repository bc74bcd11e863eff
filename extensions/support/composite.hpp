// Several gates that take part as one, each on its own conditions.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"
#include "messages/schedule/triggered.hpp"

#include <string>
#include <vector>

namespace troupe {

/// One of them. Logic of the composite's own is one more child, before or behind the others.
struct CompositeChild {
  std::string name; ///< unique among the children, not empty, without "."
  Conditions conditions;
  Extension extension;
};

struct CompositeOptions {
  /// With it children see the whole row of the log: their conditions what other gates have
  /// written, and those that read the row themselves (track_the_best, finish_if_no_improvement)
  /// what the children before them have answered. Without it conditions see the children's answers
  /// only.
  Logger logger = {};
  PredicateRegistry predicates = {}; ///< for children's conditions with one
  double deadline = 600;             ///< seconds for each answer, > 0
};

/// What the composite must be subscribed with, so that it hears every moment at which a child may
/// want to be asked, and as few others as can be: the children's callbacks on the union of their
/// schedules, and before_training, when it begins to count.
Conditions composite_conditions(const std::vector<CompositeChild>& children);

/// A gate that asks its children in order, each whose conditions are true, once for each that is,
/// as a trainer does: a child sees the parameters that one before it has given, and its conditions
/// see the records. It answers with all of it. A child's error is the composite's, with the child's
/// name; those after it are not asked.
///
/// What it saves are the states of its children, with "<name>." before each value. As an observer
/// it sends copies to the children. It ends when nobody holds a handle to it any more.
/// @throws std::invalid_argument for names, conditions or options that cannot be.
Extension spawn_composite(caf::actor_system& system, std::vector<CompositeChild> children,
                          CompositeOptions options = {});

} // namespace troupe
