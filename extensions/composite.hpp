// Several gates that take part as one, each on its own conditions.
#pragma once

#include "troupe/messages/extension.hpp"
#include "troupe/messages/log.hpp"

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
  /// Where a child's condition looks at a record or has a predicate: whose row it sees. Without it
  /// the row holds what the children themselves have answered.
  Logger logger = {};
  PredicateRegistry predicates = {}; ///< for children's conditions with one
  double deadline = 600;             ///< seconds for each answer, > 0
};

/// What the composite must be subscribed with, so that it hears every moment at which a child may
/// want to be asked, and as few others as can be: the children's callbacks on the union of their
/// schedules, and before_training, when it begins to count.
Conditions composite_conditions(const std::vector<CompositeChild>& children);

/// Adds a child's answer to the answers of those before it: records, settings and timelines by name
/// and parameters as a whole are those of the last who gave them; training ends where one asks for
/// it, for all the reasons.
void merge(GateAnswer& whole, GateAnswer part, const std::string& child);

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
