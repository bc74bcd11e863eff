// How CAF serialises and prints our types.
#pragma once

#include "base/fields.hpp"
#include "base/records.hpp"
#include "base/types.hpp"
#include "messages/schedule/schedule.hpp"
#include "model/tensor/block.hpp"

#include <caf/deep_to_string.hpp>
#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/sec.hpp>
#include <caf/serializer.hpp>
#include <caf/type_id.hpp>

#include <bit>
#include <optional>
#include <string>

namespace troupe {

/// An inspector that neither writes nor reads the wire: it prints or hashes.
template <class Inspector>
concept PrintingInspector
  = !std::is_base_of_v<caf::serializer,
                       Inspector> && !std::is_base_of_v<caf::deserializer, Inspector>;

// -- floating-point numbers are sent as their bits ------------------------------------------------
//
// CAF 0.17.6 computes its own wire format of them (caf/detail/ieee_754.hpp): it never terminates
// for infinity, turns NaN into a number and loses the sign of -0. For all other numbers the bytes
// are the same.

namespace detail {

template <class T>
inline constexpr bool holds_floats = std::is_floating_point_v<T>;

template <class A, class B>
inline constexpr bool
  holds_floats<std::pair<A, B>> = holds_floats<std::remove_const_t<A>> || holds_floats<B>;

template <class T>
requires requires(T x) {
  typename T::value_type;
  x.begin();
}
inline constexpr bool holds_floats<T> = holds_floats<typename T::value_type>;

/// A readable copy of an element: the keys of a map are const in place.
template <class T>
struct MutableElement {
  using Type = T;
};
template <class A, class B>
struct MutableElement<std::pair<const A, B>> {
  using Type = std::pair<A, B>;
};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;

/// Writes or reads one field. A field without floating-point numbers is left to CAF.
template <class Inspector, class T>
caf::error inspect_field(Inspector& f, T& x);

template <class Inspector, class A, class B>
caf::error inspect_pair(Inspector& f, std::pair<A, B>& x) {
  if (auto error = inspect_field(f, const_cast<std::remove_const_t<A>&>(x.first)))
    return error;
  return inspect_field(f, x.second);
}

template <class T>
caf::error inspect_elements(caf::serializer& f, T& xs) {
  auto size = xs.size();
  if (auto error = f.begin_sequence(size))
    return error;
  for (auto& x : xs)
    if (auto error = inspect_field(f, x))
      return error;
  return f.end_sequence();
}

template <class T>
caf::error inspect_elements(caf::deserializer& f, T& xs) {
  std::size_t size = 0;
  if (auto error = f.begin_sequence(size))
    return error;
  xs.clear();
  for (; size > 0; --size) { // grows while reading: a peer's size cannot be trusted
    typename MutableElement<typename T::value_type>::Type x{};
    if (auto error = inspect_field(f, x))
      return error;
    xs.insert(xs.end(), std::move(x));
  }
  return f.end_sequence();
}

template <class Inspector, class T>
caf::error inspect_field(Inspector& f, T& x) {
  if constexpr (std::is_floating_point_v<T>) {
    auto bits = std::bit_cast<BitsOf<T>>(x);
    if (auto error = f(bits))
      return error;
    x = std::bit_cast<T>(bits);
    return caf::none;
  } else if constexpr (holds_floats<T> && requires { x.second; }) {
    return inspect_pair(f, x);
  } else if constexpr (holds_floats<T>) {
    return inspect_elements(f, x);
  } else {
    return f(x);
  }
}

} // namespace detail

// Every type with TROUPE_FIELDS is sent field by field. The two functions, and the text, are instantiated
// once for each message, in wire.cpp: instantiated in every file they would take a fifth of the
// compile time. For a type that is no message include inspect_fields.hpp.

template <HasFields T>
caf::error inspect(caf::serializer& f, T& x);
template <HasFields T>
caf::error inspect(caf::deserializer& f, T& x);

template <PrintingInspector Inspector, HasFields T>
typename Inspector::result_type inspect(Inspector& f, T& x) {
  return x.with_fields([&f](auto&... field) { return f(field...); });
}

/// "PullParameters(worker = 3, known = 17)"; without the type's name if it is no message.
template <HasFields T>
std::string to_string(const T& x);

// A block is sent as its length and then its raw bytes: element by element takes 20 times as long.

inline constexpr std::size_t largest_block = std::size_t{1} << 30; ///< most elements accepted from
                                                                   ///< a peer

caf::error inspect(caf::serializer& f, Block& x);
/// Refuses, before allocating, a length that the message cannot contain.
caf::error inspect(caf::deserializer& f, Block& x);

/// Prints the length only: a million weights do not belong in a log line.
inline std::string to_string(const Block& x) { return "[" + std::to_string(x.size()) + " floats]"; }

template <PrintingInspector Inspector>
typename Inspector::result_type inspect(Inspector& f, Block& x) {
  auto size = x.size();
  return f(size);
}

// A schedule is sent as its text.

caf::error inspect(caf::serializer& f, Schedule& x);
caf::error inspect(caf::deserializer& f, Schedule& x);

template <PrintingInspector Inspector>
typename Inspector::result_type inspect(Inspector& f, Schedule& x) {
  auto text = to_string(x);
  return f(text);
}

// An optional is sent as a flag, followed by its value if there is one.

template <class T>
caf::error inspect(caf::serializer& f, std::optional<T>& x) {
  auto has = x.has_value();
  if (auto error = f(has))
    return error;
  return has ? detail::inspect_field(f, *x) : caf::error{};
}

template <class T>
caf::error inspect(caf::deserializer& f, std::optional<T>& x) {
  auto has = false;
  x.reset();
  if (auto error = f(has))
    return error;
  return has ? detail::inspect_field(f, x.emplace()) : caf::error{};
}

template <PrintingInspector Inspector, class T>
typename Inspector::result_type inspect(Inspector& f, std::optional<T>& x) {
  auto text = x ? caf::deep_to_string(*x) : std::string{"none"};
  return f(text);
}

// One of several types travels as which of them it is, and then itself.

template <class T>
concept Alternatives = requires { // a struct derived from std::variant, so that CAF finds these
  typename T::variant;
};

template <Alternatives T>
caf::error inspect(caf::serializer& f, T& x) {
  auto kind = static_cast<std::uint8_t>(x.index());
  if (auto error = f(kind))
    return error;
  return std::visit([&f](auto& value) -> caf::error { return detail::inspect_field(f, value); }, x);
}

template <Alternatives T, std::size_t I = 0>
caf::error read_alternative(caf::deserializer& f, T& x, std::uint8_t kind) {
  if constexpr (I == std::variant_size_v<typename T::variant>) {
    return caf::sec::invalid_argument;
  } else if (kind != I) {
    return read_alternative<T, I + 1>(f, x, kind);
  } else {
    std::variant_alternative_t<I, typename T::variant> value{};
    auto error = detail::inspect_field(f, value);
    if (!error)
      x = T{std::move(value)};
    return error;
  }
}

template <Alternatives T>
caf::error inspect(caf::deserializer& f, T& x) {
  std::uint8_t kind = 0;
  if (auto error = f(kind))
    return error;
  return read_alternative(f, x, kind);
}

template <PrintingInspector Inspector, Alternatives T>
typename Inspector::result_type inspect(Inspector& f, T& x) {
  auto text = to_string(x);
  return f(text);
}

} // namespace troupe
