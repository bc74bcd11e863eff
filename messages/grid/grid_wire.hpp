#pragma once

namespace caf {
class actor_system_config;
}

namespace troupe {

/// Registers the messages of grids in the configuration of an actor system, beside add_messages().
void add_grid_messages(caf::actor_system_config& config);

} // namespace troupe
