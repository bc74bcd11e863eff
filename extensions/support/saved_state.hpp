// How extensions save their state: one named value per number or text.
#pragma once

#include "messages/loop/extension.hpp"

#include <string>
#include <type_traits>
#include <vector>

namespace troupe {

/// Handlers for an extension without state.
inline constexpr auto saves_nothing = [](const SaveExtension&) { return SavedExtension{}; };
inline constexpr auto restores_nothing = [](const RestoreExtension&) { return Restored{}; };

/// Handlers for an extension whose state is `x`, which has state() and restore() and must live as
/// long as the actor.
template <class T>
auto saves(T& x) {
  return [&x](const SaveExtension&) { return SavedExtension{x.state()}; };
}
template <class T>
auto restores(T& x) {
  return [&x](const RestoreExtension& restore) {
    x.restore(restore.state);
    return Restored{};
  };
}

namespace detail {

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

} // namespace detail

/// What stands under names that begin with `prefix`, under the rest of its name.
inline SavedFields part_of(const SavedFields& state, const std::string& prefix) {
  SavedFields part;
  for (auto i = state.lower_bound(prefix); i != state.end() && i->first.starts_with(prefix); ++i)
    part[i->first.substr(prefix.size())] = i->second;
  return part;
}

/// Adds all of a part to a state, under names that begin with `prefix`.
template <class Fields>
void put_part(SavedFields& state, const std::string& prefix, const Fields& part) {
  for (const auto& [name, value] : part)
    state[prefix + name] = value;
}

/// Adds a value to a state: numbers, flags, texts and blocks as they are, a map as one value per
/// key
/// ("times.epoch"), a list as one per place ("slots.0", and "slots.size"), a struct as one per
/// field
/// ("totals.loss").
template <class T>
void put(SavedFields& state, const std::string& name, const T& x) {
  if constexpr (std::is_same_v<T, Block>) {
    state[name] = x;
  } else if constexpr (HasFields<T>) {
    const auto names = split_names(T::field_names);
    std::size_t i = 0;
    x.with_fields([&](const auto&... field) { (put(state, name + "." + names[i++], field), ...); });
  } else if constexpr (std::is_same_v<T, bool> || std::is_convertible_v<T, std::string>) {
    state[name] = Value{x};
  } else if constexpr (std::is_floating_point_v<T>) {
    state[name] = Value{static_cast<double>(x)};
  } else if constexpr (std::is_arithmetic_v<T>) {
    state[name] = Value{static_cast<std::int64_t>(x)};
  } else if constexpr (detail::is_list<T>) {
    put(state, name + ".size", x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      put(state, name + "." + std::to_string(i), x[i]);
  } else {
    for (const auto& [key, value] : x)
      put(state, name + "." + key, value);
  }
}

/// Reads what `put` wrote. Values that the state lacks, or has with another type, stay as they are.
template <class T>
void take(const SavedFields& state, const std::string& name, T& x) {
  if constexpr (HasFields<T>) {
    const auto names = split_names(T::field_names);
    std::size_t i = 0;
    x.with_fields([&](auto&... field) { (take(state, name + "." + names[i++], field), ...); });
  } else if constexpr (std::is_same_v<
                         T, bool> || std::is_same_v<T, std::string> || std::is_same_v<T, Block>) {
    const auto found = state.find(name);
    if (found != state.end())
      if (const auto* value = std::get_if<T>(&found->second))
        x = *value;
  } else if constexpr (std::is_arithmetic_v<T>) {
    using Stored = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
    const auto found = state.find(name);
    if (found != state.end())
      if (const auto* value = std::get_if<Stored>(&found->second))
        x = static_cast<T>(*value);
  } else if constexpr (detail::is_list<T>) {
    std::size_t size = 0;
    take(state, name + ".size", size);
    x.clear();
    // As far as there is something: a file can claim any size.
    const auto has = [&](const std::string& element) {
      const auto found = state.lower_bound(element);
      return found != state.end() && found->first.starts_with(element);
    };
    for (std::size_t i = 0; i < size && has(name + "." + std::to_string(i)); ++i)
      take(state, name + "." + std::to_string(i), x.emplace_back());
  } else {
    for (auto i = state.lower_bound(name + ".");
         i != state.end() && i->first.starts_with(name + "."); ++i)
      take(state, i->first, x[i->first.substr(name.size() + 1)]);
  }
}

} // namespace troupe
