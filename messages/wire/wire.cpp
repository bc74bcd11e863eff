// Instantiates, for every message, the code that sends, receives and prints it.
#include "messages/wire/wire.hpp"

#include "messages/inspection/inspect_fields.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/actor_system_config.hpp>

namespace troupe {

TROUPE_MESSAGES(TROUPE_MAKE_WIRE)
TROUPE_MAKE_WIRE(Selection)

void add_messages(caf::actor_system_config& config) {
  config.add_message_types<caf::id_block::troupe>();
  config.add_error_category(caf::atom("troupe"), render_error);
}

} // namespace troupe
