// What time it is, in seconds: for actors, who know only their system's clock, and for people.
#pragma once

namespace caf {
class actor_system;
class local_actor;
} // namespace caf

namespace troupe {

/// On the clock of the actor's system, which tests and simulations turn by hand, and which nothing
/// sets back. It counts from a moment of its own: only differences mean something, and only on one
/// node.
double seconds_now(const caf::local_actor* self);
double seconds_now(caf::actor_system& system);

/// On the wall clock of the machine: seconds since 1970.
double seconds_since_1970();

} // namespace troupe
