// How CAF sees our types: what goes over the wire and what is printed. The only file, with
// model/fields.hpp, that is clever.
#pragma once

#include "troupe/messages/records.hpp"
#include "troupe/messages/schedule.hpp"
#include "troupe/model/block.hpp"
#include "troupe/model/fields.hpp"
#include "troupe/model/types.hpp"

#include <caf/deep_to_string.hpp>
#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/serializer.hpp>
#include <caf/type_id.hpp>

#include <optional>
#include <sstream>
#include <string>

namespace troupe {

template <class Inspector, HasFields T>
typename Inspector::result_type inspect(Inspector& f, T& x) {
  detail::check_fields<T>(x.fields());
  auto visit = [&f](auto&... field) { return f(field...); };
  return std::apply(visit, x.fields());
}

/// "PullParameters(worker = 3, known = 17)", without the type's name where it is no message.
template <HasFields T>
std::string to_string(const T& x) {
  std::istringstream names{T::field_names};
  std::string name, text;
  [[maybe_unused]] auto print = [&](const auto& value) {
    std::getline(names >> std::ws, name, ',');
    text += (text.empty() ? "" : ", ") + name + " = ";
    text += caf::deep_to_string(value);
  };
  std::apply([&](const auto&... field) { (print(field), ...); }, x.fields());
  return "(" + text + ")";
}

/// Everything that is neither written to nor read from the wire: printing and hashing.
template <class Inspector>
concept PrintingInspector
  = !std::is_base_of_v<caf::serializer,
                       Inspector> && !std::is_base_of_v<caf::deserializer, Inspector>;

// A block crosses a node as its length and then its bytes, in bulk: element by element is 20 times
// slower.

inline constexpr std::size_t largest_block = std::size_t{1} << 30; ///< elements taken from a peer

caf::error inspect(caf::serializer& f, Block& x);
/// Refuses, before allocating, a length that the message cannot hold.
caf::error inspect(caf::deserializer& f, Block& x);

/// Length only: a million weights do not belong in a log line.
inline std::string to_string(const Block& x) { return "[" + std::to_string(x.size()) + " floats]"; }

template <PrintingInspector Inspector>
typename Inspector::result_type inspect(Inspector& f, Block& x) {
  auto size = x.size();
  return f(size);
}

// A schedule travels as its text.

caf::error inspect(caf::serializer& f, Schedule& x);
caf::error inspect(caf::deserializer& f, Schedule& x);

template <PrintingInspector Inspector>
typename Inspector::result_type inspect(Inspector& f, Schedule& x) {
  auto text = to_string(x);
  return f(text);
}

// What may be missing travels as whether it is there, and then itself.

template <class T>
caf::error inspect(caf::serializer& f, std::optional<T>& x) {
  auto has = x.has_value();
  if (auto error = f(has))
    return error;
  return has ? f(*x) : caf::error{};
}

template <class T>
caf::error inspect(caf::deserializer& f, std::optional<T>& x) {
  auto has = false;
  x.reset();
  if (auto error = f(has))
    return error;
  return has ? f(x.emplace()) : caf::error{};
}

template <PrintingInspector Inspector, class T>
typename Inspector::result_type inspect(Inspector& f, std::optional<T>& x) {
  auto text = x ? caf::deep_to_string(*x) : std::string{"none"};
  return f(text);
}

caf::error inspect(caf::serializer& f, Value& x);
caf::error inspect(caf::deserializer& f, Value& x);

template <PrintingInspector Inspector>
typename Inspector::result_type inspect(Inspector& f, Value& x) {
  auto text = to_string(x);
  return f(text);
}

} // namespace troupe
