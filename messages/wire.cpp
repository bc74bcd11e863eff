// Makes, for every message, what sends, receives and prints it.
#include "troupe/messages/inspect_fields.hpp"
#include "troupe/messages/type_ids.hpp"

namespace troupe {

#define TROUPE_MAKE_WIRE(Message)                                                                  \
  template caf::error inspect(caf::serializer&, Message&);                                         \
  template caf::error inspect(caf::deserializer&, Message&);                                       \
  template std::string to_string(const Message&);

TROUPE_MESSAGES(TROUPE_MAKE_WIRE)
TROUPE_MAKE_WIRE(Selection)

} // namespace troupe
