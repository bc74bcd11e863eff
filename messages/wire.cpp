// Makes, for every message, what sends, receives and prints it.
#include "troupe/messages/wire.hpp"

#include "troupe/messages/inspect_fields.hpp"
#include "troupe/messages/type_ids.hpp"

#include <caf/actor_system_config.hpp>

namespace troupe {

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type
#define TROUPE_MAKE_WIRE(Message)                                                                  \
  template caf::error inspect(caf::serializer&, Message&);                                         \
  template caf::error inspect(caf::deserializer&, Message&);                                       \
  template std::string to_string(const Message&);
// NOLINTEND(bugprone-macro-parentheses)

TROUPE_MESSAGES(TROUPE_MAKE_WIRE)
TROUPE_MAKE_WIRE(Selection)

void add_messages(caf::actor_system_config& config) {
  config.add_message_types<caf::id_block::troupe>();
  config.add_error_category(caf::atom("troupe"), render_error);
}

} // namespace troupe

#define TROUPE_MAKE_CARRIERS(Message) TROUPE_CARRIERS(, troupe::Message)
TROUPE_MESSAGES(TROUPE_MAKE_CARRIERS)
