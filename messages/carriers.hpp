// What carries a message between actors, and with it everything that CAF can do with one. It takes
// a compiler longer than the source that sends the message, so that one source makes it for all.
#pragma once

#include <caf/mailbox_element.hpp>
#include <caf/make_message.hpp>

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define TROUPE_CARRIERS_OF(keyword, Type, Argument)                                                \
  keyword template caf::message caf::make_message<Type>(Argument);                                 \
  keyword template caf::mailbox_element_ptr caf::make_mailbox_element<Type>(                       \
    caf::strong_actor_ptr, caf::message_id, caf::mailbox_element::forwarding_stack, Argument);
#define TROUPE_CARRIERS(keyword, Message)                                                          \
  TROUPE_CARRIERS_OF(keyword, Message, Message&&)                                                  \
  TROUPE_CARRIERS_OF(keyword, Message&, Message&)                                                  \
  TROUPE_CARRIERS_OF(keyword, const Message&, const Message&)

/// Behind the messages: they are carried by what another source makes.
#define TROUPE_KNOW_CARRIERS(Message) TROUPE_CARRIERS(extern, troupe::Message)
/// In that source, outside of any namespace.
#define TROUPE_MAKE_CARRIERS(Message) TROUPE_CARRIERS(, troupe::Message)
/// In that source, in our namespace, with inspect_fields.hpp: what writes, reads and prints one.
#define TROUPE_MAKE_WIRE(Message)                                                                  \
  template caf::error inspect(caf::serializer&, Message&);                                         \
  template caf::error inspect(caf::deserializer&, Message&);                                       \
  template std::string to_string(const Message&);
// NOLINTEND(bugprone-macro-parentheses)
