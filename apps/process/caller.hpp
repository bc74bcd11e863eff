// Asks actors from a thread that is no actor's, and waits for their answers.
#pragma once

#include <caf/blocking_actor.hpp>
#include <caf/scoped_execution_unit.hpp>

namespace troupe {

/// As caf::scoped_actor, and under virtual time, too: there nobody else delivers messages, so that
/// whoever waits does, and lets time pass until the answer is there.
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
