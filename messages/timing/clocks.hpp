// Clocks in seconds: for actors, which only use their system's clock, and for displays.
#pragma once

namespace caf {
class actor_system;
class local_actor;
} // namespace caf

namespace troupe {

/// The monotonic clock of the actor's system, which tests and simulations set by hand. Its origin
/// is arbitrary: only differences on the same node are meaningful.
double seconds_now(const caf::local_actor* self);
double seconds_now(caf::actor_system& system);

/// The machine's wall clock: seconds since 1970.
double seconds_since_1970();

} // namespace troupe
