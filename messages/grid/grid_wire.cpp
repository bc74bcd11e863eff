// Instantiates, for every message of grids, the code that sends, receives and prints it.
#include "messages/grid/grid_wire.hpp"

#include "messages/grid/grid_nodes.hpp"
#include "messages/inspection/inspect_fields.hpp"

#include <caf/actor_system_config.hpp>

namespace troupe {

TROUPE_GRID_MESSAGES(TROUPE_MAKE_WIRE)
TROUPE_GRID_NODE_MESSAGES(TROUPE_MAKE_WIRE)

void add_grid_messages(caf::actor_system_config& config) {
  config.add_message_types<caf::id_block::troupe_grid>();
  config.add_message_types<caf::id_block::troupe_grid_nodes>();
}

} // namespace troupe
