// Converts a tree of texts to a struct of options, and back. Works with any struct with TROUPE_FIELDS:
//
//   struct TrainingOptions {                     training:
//     int batch_size = 64;                         batch_size: 128
//     std::chrono::duration<double> limit{3600};   limit: 12h
//     TROUPE_FIELDS(batch_size, limit);
//   };
//
// The member's type determines how a text is read:
//
//   bool                   true false yes no on off, whatever the capitals
//   whole numbers          decimal, 50_000 too; in the range of the type
//   float, double          3e-4, inf, -inf, nan
//   std::string            any text, in quotes or not
//   duration               what base/text/duration.hpp reads: 90, 15m, 12:00:00
//   filesystem::path       any text
//   vector, map<string,>   [64, 32]; {a: 1}
//   a type with from_text  what its `bool from_text(std::string_view, T&)` accepts; the inverse is
//                          `to_string(T)`
//   a type with            its own key and others beside it: `read_spread(section, key, x, path,
//     read_spread          errors)`; the inverse is `write_spread(section, key, x)`
//   a struct with TROUPE_FIELDS   a map whose keys are the members' names; each may be absent
#pragma once

#include "base/config/node.hpp"
#include "base/failure.hpp"
#include "base/fields.hpp"
#include "base/text/duration.hpp"

#include <chrono>
#include <concepts>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace troupe::config {

/// Fills `options` from a map; members that the map does not have are unchanged, lists and maps are
/// replaced as a whole.
/// @param path of the map, for messages, e.g. "training"; "" for the root
/// @returns a sentence for each defect: unknown keys with the nearest known one, and values of a
///          wrong type or out of range. A member with a wrong value is unchanged.
template <HasFields T>
Sentences decode(const Node& node, T& options, const std::string& path = "");

/// The options that a section gives, over `options`. @throws ConfigError with every defect
template <HasFields T>
T options_from(const Node& section, const std::string& path, T options = {}) {
  if (auto errors = decode(section, options, path); !errors.empty())
    throw ConfigError(std::move(errors));
  return options;
}

/// The tree that `decode` reads as `options`, with all members and with `default_source`.
template <HasFields T>
Node encode(const T& options);

namespace detail {

template <class T>
concept TextType = requires(std::string_view text, T& x) {
  { from_text(text, x) } -> std::convertible_to<bool>;
};

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

template <class T>
inline constexpr bool is_duration = false;
template <class Rep, class Period>
inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = true;

template <class T>
concept SpreadType
  = requires(const Node& section, Node& written, T& x, const std::string& key, Sentences& errors) {
  read_spread(section, key, x, key, errors);
  write_spread(written, key, x);
};

template <class>
inline constexpr bool is_unsupported = true;

/// "training.batch_size = 'many' (run.yaml:3:3) " followed by what is wrong.
std::string complaint(const Node& node, const std::string& path, const std::string& wrong);

/// The path of a key in the map at `path`, for messages.
std::string below(const std::string& path, const std::string& key);

/// Adds a sentence for each key of a struct's map that is not in `known`.
void check_keys(const Node& node, const std::string& path, const std::vector<std::string>& known,
                Sentences& errors);

// Each reads a node as one type, or adds a sentence to `errors` and leaves `x` unchanged.
void read_bool(const Node& node, bool& x, const std::string& path, Sentences& errors);
void read_signed(const Node& node, long long& x, long long least, long long most,
                 const std::string& path, Sentences& errors);
void read_unsigned(const Node& node, unsigned long long& x, unsigned long long most,
                   const std::string& path, Sentences& errors);
void read_real(const Node& node, float& x, const std::string& path, Sentences& errors);
void read_real(const Node& node, double& x, const std::string& path, Sentences& errors);
void read_string(const Node& node, std::string& x, const std::string& path, Sentences& errors);
/// In units of `num / den` seconds; if `most` is not 0, an integer of at most `most`.
void read_duration(const Node& node, double& x, double num, double den, double most,
                   const std::string& path, Sentences& errors);
/// True for a list, or a map; otherwise adds a sentence. `example`: such a list
bool is_list_at(const Node& node, const std::string& path, const std::string& example,
                Sentences& errors);
bool is_map_at(const Node& node, const std::string& path, Sentences& errors);

/// "; give one of fail, finish, proceed", with the nearest one first.
std::string choices(std::string_view text, const std::vector<std::string>& words);

std::string print_real(float x);
std::string print_real(double x);

/// The words that `from_text` accepts for an enumeration numbered from 0.
template <class T>
std::vector<std::string> words_of() {
  std::vector<std::string> words;
  if constexpr (std::is_enum_v<T>)
    for (int i = 0; i < 64; ++i) {
      const auto word = to_string(static_cast<T>(i));
      if (T value{}; from_text(word, value) && value == static_cast<T>(i))
        words.push_back(word);
    }
  return words;
}

template <class T>
void read(const Node& node, T& x, const std::string& path, Sentences& errors);

/// An example of a list: the node itself in brackets if it is a valid element.
template <class T>
std::string example_of_list(const Node& node) {
  Sentences errors;
  if (T element{}; node.is_scalar())
    if (read(node, element, "", errors); errors.empty())
      return "[" + node.text() + "]";
  if constexpr (std::same_as<T, bool>)
    return "[true, false]";
  else if constexpr (std::integral<T>)
    return "[64, 32]";
  else if constexpr (std::floating_point<T>)
    return "[0.1, 0.01]";
  else if constexpr (HasFields<T>)
    return "[{" + split_names(T::field_names).front() + ": ...}]";
  else
    return "[a, b]";
}

template <class T>
void read(const Node& node, T& x, const std::string& path, Sentences& errors) {
  if constexpr (std::same_as<T, bool>) {
    read_bool(node, x, path, errors);
  } else if constexpr (std::same_as<T, std::string>) {
    read_string(node, x, path, errors);
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    auto text = x.string();
    read_string(node, text, path, errors);
    x = text;
  } else if constexpr (TextType<T>) {
    T value{};
    if (node.is_scalar() && from_text(std::string_view{node.text()}, value))
      x = std::move(value);
    else
      errors.push_back(complaint(node, path, "is not known" + choices(node.text(), words_of<T>())));
  } else if constexpr (std::signed_integral<T>) {
    using Limits = std::numeric_limits<T>;
    long long value = x;
    read_signed(node, value, Limits::min(), Limits::max(), path, errors);
    x = static_cast<T>(value);
  } else if constexpr (std::unsigned_integral<T>) {
    unsigned long long value = x;
    read_unsigned(node, value, std::numeric_limits<T>::max(), path, errors);
    x = static_cast<T>(value);
  } else if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
    read_real(node, x, path, errors);
  } else if constexpr (is_duration<T>) {
    using Rep = typename T::rep;
    using Period = typename T::period;
    // Half of the largest count, so that rounding of the double cannot exceed it.
    constexpr auto most
      = std::floating_point<Rep> ? 0.0 : static_cast<double>(std::numeric_limits<Rep>::max() / 2);
    double value = std::numeric_limits<double>::quiet_NaN();
    read_duration(node, value, Period::num, Period::den, most, path, errors);
    if (value == value)
      x = T{static_cast<Rep>(value)};
  } else if constexpr (is_vector<T>) {
    if (!is_list_at(node, path, example_of_list<typename T::value_type>(node), errors))
      return;
    T values;
    const auto before = errors.size();
    for (const auto& item : node.items()) {
      typename T::value_type value{};
      read(item, value, path + "[" + std::to_string(values.size()) + "]", errors);
      values.push_back(std::move(value));
    }
    if (errors.size() == before)
      x = std::move(values);
  } else if constexpr (is_map<T>) {
    if (!is_map_at(node, path, errors))
      return;
    T values;
    const auto before = errors.size();
    for (const auto& entry : node.entries())
      read(entry.value, values[entry.key], below(path, entry.key), errors);
    if (errors.size() == before)
      x = std::move(values);
  } else if constexpr (HasFields<T>) {
    auto more = decode(node, x, path);
    errors.insert(errors.end(), more.begin(), more.end());
  } else {
    static_assert(!is_unsupported<T>, "give this type TROUPE_FIELDS, or from_text and to_string");
  }
}

template <class T>
Node write(const T& x) {
  if constexpr (std::same_as<T, bool>) {
    return Node::scalar(x ? "true" : "false");
  } else if constexpr (std::same_as<T, std::string>) {
    return Node::scalar(x, default_source, true);
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return Node::scalar(x.string(), default_source, true);
  } else if constexpr (TextType<T>) {
    return Node::scalar(to_string(x), default_source, true);
  } else if constexpr (std::integral<T>) {
    return Node::scalar(std::to_string(x));
  } else if constexpr (std::floating_point<T>) {
    return Node::scalar(print_real(x));
  } else if constexpr (is_duration<T>) {
    return Node::scalar(print_duration(x));
  } else if constexpr (is_vector<T>) {
    auto list = Node::list();
    for (const typename T::value_type& item : x)
      list.append(write(item));
    return list;
  } else if constexpr (is_map<T>) {
    auto map = Node::map();
    for (const auto& [key, value] : x)
      map.put(key, write(value));
    return map;
  } else {
    static_assert(HasFields<T>, "give this type TROUPE_FIELDS, or from_text and to_string");
    return encode(x);
  }
}

} // namespace detail

template <HasFields T>
Sentences decode(const Node& node, T& options, const std::string& path) {
  troupe::detail::check_fields<T>();
  Sentences errors;
  if (node.is_null() || !detail::is_map_at(node, path, errors))
    return errors; // a section with comments only is empty, not an error
  const auto names = split_names(T::field_names);
  auto known = Node::map(); // keys
  std::size_t i = 0;
  [[maybe_unused]] const auto read_field = [&](auto& field) {
    const auto& name = names[i++];
    if constexpr (detail::SpreadType<std::remove_reference_t<decltype(field)>>) {
      read_spread(node, name, field, path, errors);
      write_spread(known, name, field);
    } else {
      known.put(name, {});
      if (const auto* value = node.find(name))
        detail::read(*value, field, detail::below(path, name), errors);
    }
  };
  options.with_fields([&](auto&... field) { (read_field(field), ...); });
  Sentences all;
  detail::check_keys(node, path, known.keys(), all);
  all.insert(all.end(), errors.begin(), errors.end());
  return all;
}

template <HasFields T>
Node encode(const T& options) {
  troupe::detail::check_fields<T>();
  auto map = Node::map();
  const auto names = split_names(T::field_names);
  std::size_t i = 0;
  [[maybe_unused]] const auto write_field = [&](const auto& field) {
    if constexpr (detail::SpreadType<std::remove_cvref_t<decltype(field)>>)
      write_spread(map, names[i++], field);
    else
      map.put(names[i++], detail::write(field));
  };
  options.with_fields([&](const auto&... field) { (write_field(field), ...); });
  return map;
}

} // namespace troupe::config
