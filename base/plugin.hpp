// What makes a shared object a plugin, which `plugins: [./libmine.so]` in a configuration loads.
//
//   // in one source file of the plugin, outside of any namespace
//   TROUPE_PLUGIN;
//
// Extensions, problems, models and so on register themselves in any of its files, as those of
// Troupe do.
#pragma once

#include "troupe/version.hpp"

#include <array>
#include <string_view>

namespace troupe {

/// Which Troupe a plugin was built for, and by which compiler. It is read from the file before any
/// code of the plugin runs, so that one that does not fit is refused with a sentence.
struct PluginStamp {
  std::array<char, 24> mark;     ///< by which it is found in the file
  std::array<char, 16> version;  ///< of Troupe
  std::array<char, 48> compiler; ///< its name and first number
};

namespace detail {

/// `x` as a string literal, without replacing it first.
#define TROUPE_TEXT_OF(x) #x
/// The value of the macro `x` as a string literal.
#define TROUPE_TEXT(x) TROUPE_TEXT_OF(x)

#if defined(__clang__)
#define TROUPE_COMPILER "clang " TROUPE_TEXT(__clang_major__)
#else
/// The compiler's name and the first number of its version.
#define TROUPE_COMPILER "g++ " TROUPE_TEXT(__GNUC__)
#endif

#if defined(__SANITIZE_ADDRESS__)
#define TROUPE_SANITIZERS ", sanitized"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TROUPE_SANITIZERS ", sanitized"
#endif
#endif
#ifndef TROUPE_SANITIZERS
/// ", sanitized" under the address sanitizer, which a plugin and its program must share.
#define TROUPE_SANITIZERS ""
#endif

template <std::size_t Size>
constexpr std::array<char, Size> padded(std::string_view text) {
  std::array<char, Size> padded{};
  for (std::size_t i = 0; i < text.size(); ++i)
    padded.at(i) = text[i]; // a longer text does not compile
  return padded;
}

} // namespace detail

/// The stamp of what is compiled here.
constexpr PluginStamp own_plugin_stamp() {
  return {detail::padded<24>("a plugin of troupe: 1"), detail::padded<16>(version),
          detail::padded<48>(TROUPE_COMPILER TROUPE_SANITIZERS
                             ", libstdc++ " TROUPE_TEXT(_GLIBCXX_RELEASE))};
}

} // namespace troupe

/// Makes the shared object a plugin. Once, outside of any namespace.
#define TROUPE_PLUGIN                                                                              \
  extern "C"                                                                                       \
    [[gnu::used, gnu::visibility("default")]] const troupe::PluginStamp troupe_plugin_stamp        \
    = troupe::own_plugin_stamp()
