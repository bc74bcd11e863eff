// How extensions save their state: one named value per number or text.
#pragma once

#include "messages/loop/extension.hpp"
#include "model/codecs/wire_format.hpp"

#include <cassert>
#include <span>
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

/// The floats of a block, little-endian.
inline std::string text_of_bytes(const Block& block) {
  std::vector<std::byte> bytes;
  [[maybe_unused]] const auto defect = encode({}, block.view(), bytes);
  assert(defect.empty()); // float32 represents every float
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// @returns an empty block for what is none.
inline Block block_of_bytes(const std::string& text) {
  auto block = Block::uninitialized(static_cast<Index>(text.size() / sizeof(float)));
  const auto bytes = std::as_bytes(std::span{text});
  return decode(WireFormat::float32, bytes, block.edit()).empty() ? block : Block{};
}

} // namespace detail

/// The values whose names begin with `prefix`, named without it.
inline Records part_of(const Records& state, const std::string& prefix) {
  Records part;
  for (auto i = state.lower_bound(prefix); i != state.end() && i->first.starts_with(prefix); ++i)
    part[i->first.substr(prefix.size())] = i->second;
  return part;
}

/// Adds the values of a part to a state, with `prefix` before their names.
inline void put_part(Records& state, const std::string& prefix, const Records& part) {
  for (const auto& [name, value] : part)
    state[prefix + name] = value;
}

/// Adds a value to a state: numbers, flags and texts as they are, a map as one value per key
/// ("times.epoch"), a struct as one value per field ("totals.loss"), a block as a text of its
/// bytes.
template <class T>
void put(Records& state, const std::string& name, const T& x) {
  if constexpr (std::is_same_v<T, Block>) {
    state[name] = Value{detail::text_of_bytes(x)};
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
  } else {
    for (const auto& [key, value] : x)
      put(state, name + "." + key, value);
  }
}

/// Reads what `put` wrote. Values that the state lacks, or has with another type, stay as they are.
template <class T>
void take(const Records& state, const std::string& name, T& x) {
  if constexpr (std::is_same_v<T, Block>) {
    const auto found = state.find(name);
    if (found != state.end())
      if (const auto* text = std::get_if<std::string>(&found->second))
        x = detail::block_of_bytes(*text);
  } else if constexpr (HasFields<T>) {
    const auto names = split_names(T::field_names);
    std::size_t i = 0;
    x.with_fields([&](auto&... field) { (take(state, name + "." + names[i++], field), ...); });
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
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
  } else {
    for (auto i = state.lower_bound(name + ".");
         i != state.end() && i->first.starts_with(name + "."); ++i)
      take(state, i->first, x[i->first.substr(name.size() + 1)]);
  }
}

} // namespace troupe
