// Reads YAML into a tree of texts (value.hpp). print.hpp writes it.
#pragma once

#include "base/config/node.hpp"
#include "base/exit_codes.hpp"

#include <filesystem>

namespace troupe::config {

// Limits on what a file may ask of the reader. Aliases count as often as they are used, so that a
// file of one kilobyte cannot grow to gigabytes.
inline constexpr std::size_t largest_file = std::size_t{4} << 20; ///< bytes
inline constexpr std::size_t most_values = 100'000;               ///< in a document
inline constexpr std::size_t most_keys = 10'000;                  ///< in one map

/// Reads a document whose top level is a map; an empty one is an empty map. Anchors, aliases and
/// `<<` work; keys are texts.
/// `name`: what sources and errors call the text, e.g. "run.yaml".
/// @throws ConfigError with a sentence that begins "run.yaml:12:5: " for what is no YAML or no
/// UTF-8, a double
///         key, a second document, an unknown tag, or more than the limits.
Node read_yaml(std::string_view text, const std::string& name);

/// The same from a file, called in errors by its path as given.
/// @throws ConfigError as above, or where the file cannot be read.
Node read_yaml_file(const std::filesystem::path& path);

/// Whether a value opens a bracket that it does not close, as `[64,` does.
bool has_open_bracket(std::string_view text);

/// Reads one value as it stands inside brackets: `3`, `[64, 32]`, `{a: 1}`, `'a, b'`. Nothing at
/// all is the empty text. All of it comes from `source`.
/// @throws ConfigError for anything that is not one value: "'a, b' (command line) ...".
Node read_value(std::string_view text, const std::string& source);

} // namespace troupe::config
