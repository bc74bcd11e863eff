// How a type with TROUPE_FIELDS is serialised and printed. Needed only where that code is instantiated: in
// wire.cpp, and for types of your own.
#pragma once

#include "messages/inspection/inspect.hpp"

#include <caf/message.hpp>

#include <cstddef>
#include <string>

namespace troupe {

namespace detail {

/// CAF 0.17.6 reads a truncated message as an empty one, and hides the error.
inline caf::error inspect_field(caf::deserializer& f, caf::message& x) { return x.load(f); }

template <class Inspector, class T>
caf::error inspect_fields(Inspector& f, T& x) {
  check_fields<T>();
  caf::error error;
  x.with_fields(
    [&](auto&... field) { static_cast<void>(((error = inspect_field(f, field)) || ...)); });
  return error;
}

} // namespace detail

/// Writes the fields, in their order.
template <HasFields T>
caf::error inspect(caf::serializer& f, T& x) {
  return detail::inspect_fields(f, x);
}

/// Reads the fields, in their order.
template <HasFields T>
caf::error inspect(caf::deserializer& f, T& x) {
  return detail::inspect_fields(f, x);
}

/// "(worker = 3, known = 17)"
template <HasFields T>
std::string to_string(const T& x) {
  const auto names = split_names(T::field_names);
  std::size_t i = 0;
  std::string text;
  [[maybe_unused]] auto print = [&](const auto& value) {
    text += (text.empty() ? "" : ", ") + names[i++] + " = ";
    text += caf::deep_to_string(value);
  };
  x.with_fields([&](const auto&... field) { (print(field), ...); });
  return "(" + text + ")";
}

} // namespace troupe

/// Once in a namespace of a program's own, before its structs with TROUPE_FIELDS: they are sent, printed and
/// compared as Troupe's are.
#define TROUPE_FIELDS_IN_NAMESPACE                                                                 \
  using troupe::inspect;                                                                           \
  using troupe::to_string;                                                                         \
  using troupe::operator==

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type
/// In one source, inside our namespace: makes what writes, reads and prints a message.
#define TROUPE_MAKE_WIRE(Message)                                                                  \
  template caf::error inspect(caf::serializer&, Message&);                                         \
  template caf::error inspect(caf::deserializer&, Message&);                                       \
  template std::string to_string(const Message&);
// NOLINTEND(bugprone-macro-parentheses)
