// Carries a message between actors, with all operations that CAF has for messages. That code takes
// longer to compile than the source that sends the message, so one source instantiates it for all.
//
// CAF's generic code handles tuples of any types: ten cases for each operation
// (caf/detail/tuple_vals.hpp), twice, for messages that are sent and for those kept as a
// caf::message. Here a message is one value, and what is sent contains the caf::message: half the
// code for one more allocation.
#pragma once

#include <caf/deep_to_string.hpp>
#include <caf/deserializer.hpp>
#include <caf/detail/message_data.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_counted.hpp>
#include <caf/make_message.hpp>
#include <caf/make_type_erased_value.hpp>
#include <caf/serializer.hpp>

#include <utility>

namespace troupe::detail {

/// The part of a caf::message of one value that copies share. Positions are always 0.
template <class T>
class Carrier final : public caf::detail::message_data {
public:
  explicit Carrier(T&& value) : value_{std::move(value)} {}

  using message_data::copy;
  Carrier* copy() const override { return new Carrier(*this); }
  caf::type_erased_value_ptr copy(std::size_t) const override {
    return caf::make_type_erased_value<T>(value_);
  }

  std::size_t size() const noexcept override { return 1; }
  std::uint32_t type_token() const noexcept override { return caf::make_type_token<T>(); }
  caf::rtti_pair type(std::size_t) const noexcept override { return caf::make_rtti_pair<T>(); }
  const void* get(std::size_t) const noexcept override { return &value_; }
  void* get_mutable(std::size_t) override { return &value_; }
  std::string stringify(std::size_t) const override { return caf::deep_to_string(value_); }
  caf::error load(std::size_t, caf::deserializer& source) override { return source(value_); }
  caf::error save(std::size_t, caf::serializer& sink) const override {
    return sink(const_cast<T&>(value_)); // one function for both directions; writing only reads
  }

private:
  T value_;
};

} // namespace troupe::detail

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define TROUPE_MESSAGE_COPIES(Argument, Message)                                                   \
  template <>                                                                                      \
  inline caf::message caf::make_message<Argument>(Argument x) {                                    \
    return caf::make_message(Message(x));                                                          \
  }
#define TROUPE_ELEMENT_CARRIES(Type, Argument)                                                     \
  template <>                                                                                      \
  inline caf::mailbox_element_ptr caf::make_mailbox_element<Type>(                                 \
    caf::strong_actor_ptr sender, caf::message_id id,                                              \
    caf::mailbox_element::forwarding_stack stages, Argument x) {                                   \
    return caf::make_mailbox_element(std::move(sender), id, std::move(stages),                     \
                                     caf::make_message(std::forward<Type>(x)));                    \
  }

/// After the definitions of the messages: their carriers are instantiated in another source.
#define TROUPE_KNOW_CARRIERS(Message)                                                              \
  template <>                                                                                      \
  caf::message caf::make_message<troupe::Message>(troupe::Message && x);                           \
  TROUPE_MESSAGE_COPIES(troupe::Message&, troupe::Message)                                         \
  TROUPE_MESSAGE_COPIES(const troupe::Message&, troupe::Message)                                   \
  TROUPE_ELEMENT_CARRIES(troupe::Message, troupe::Message&&)                                       \
  TROUPE_ELEMENT_CARRIES(troupe::Message&, troupe::Message&)                                       \
  TROUPE_ELEMENT_CARRIES(const troupe::Message&, const troupe::Message&)
/// In that source, outside any namespace.
#define TROUPE_MAKE_CARRIERS(Message)                                                              \
  template <>                                                                                      \
  caf::message caf::make_message<troupe::Message>(troupe::Message && x) {                          \
    return caf::message{caf::detail::message_data::cow_ptr{                                        \
      caf::make_counted<troupe::detail::Carrier<troupe::Message>>(std::move(x))}};                 \
  }
/// In that source, in our namespace, with inspect_fields.hpp: instantiates writing, reading and
/// printing.
#define TROUPE_MAKE_WIRE(Message)                                                                  \
  template caf::error inspect(caf::serializer&, Message&);                                         \
  template caf::error inspect(caf::deserializer&, Message&);                                       \
  template std::string to_string(const Message&);
// NOLINTEND(bugprone-macro-parentheses)
