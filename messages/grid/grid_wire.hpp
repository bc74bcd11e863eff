#pragma once

namespace caf {
class actor_system_config;
}

namespace troupe {

/// Tells an actor system that is about to be made of the messages of grids, beside add_messages().
void add_grid_messages(caf::actor_system_config& config);

} // namespace troupe
