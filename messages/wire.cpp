// Makes, for every message, what sends, receives and prints it.
#include "troupe/messages/inspect_fields.hpp"
#include "troupe/messages/type_ids.hpp"

namespace troupe {

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type
#define TROUPE_MAKE_WIRE(Message)                                                                  \
  template caf::error inspect(caf::serializer&, Message&);                                         \
  template caf::error inspect(caf::deserializer&, Message&);                                       \
  template std::string to_string(const Message&);
// NOLINTEND(bugprone-macro-parentheses)

TROUPE_MESSAGES(TROUPE_MAKE_WIRE)
TROUPE_MAKE_WIRE(Selection)

} // namespace troupe
