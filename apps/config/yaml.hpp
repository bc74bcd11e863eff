// Reads YAML into a tree of texts (node.hpp). print.hpp writes it.
#pragma once

#include "base/config/node.hpp"
#include "base/failure.hpp"

#include <filesystem>

namespace troupe::config {

// Limits on the work that a file can cause. Aliases count as often as they are used, so that a file
// of one kilobyte cannot grow to gigabytes.
inline constexpr std::size_t largest_file = std::size_t{4} << 20; ///< bytes
inline constexpr std::size_t most_values = 100'000;               ///< in a document
inline constexpr std::size_t most_keys = 10'000;                  ///< in one map

/// Reads a document whose top level is a map; an empty one is an empty map. Anchors, aliases and
/// `<<` work; keys are texts.
/// `name`: the name of the text in sources and errors, e.g. "run.yaml".
/// @throws ConfigError with a sentence that starts with "run.yaml:12:5: " for invalid YAML or
/// UTF-8, a duplicate key, a second document, an unknown tag, or a number beyond the limits.
Node read_yaml(std::string_view text, const std::string& name);

/// The same from a file, named in errors by its path as given.
/// @throws ConfigError as above, or if the file cannot be read.
Node read_yaml_file(const std::filesystem::path& path);

/// Whether a value has an unclosed bracket, like `[64,`.
bool has_open_bracket(std::string_view text);

/// Reads one value as it would be inside brackets: `3`, `[64, 32]`, `{a: 1}`, `'a, b'`; no text is
/// the empty text. All of it gets the given source.
/// @throws ConfigError for anything but one value: "'a, b' (command line) ...".
Node read_value(std::string_view text, const std::string& source);

} // namespace troupe::config
