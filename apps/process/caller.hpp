// Sends requests to actors from a thread outside the actor system, and waits for the answers.
#pragma once

#include <caf/blocking_actor.hpp>
#include <caf/scoped_execution_unit.hpp>

namespace troupe {

/// Like caf::scoped_actor, but also works under virtual time: no other thread delivers messages
/// there, so the waiting thread runs the scheduler and advances the clock until the answer is
/// there.
class Caller {
public:
  explicit Caller(caf::actor_system& system);
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  caf::blocking_actor* operator->() const;
  caf::actor handle() const { return self_; }

private:
  caf::scoped_execution_unit context_;
  caf::actor self_;
};

} // namespace troupe
