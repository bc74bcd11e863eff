// The table of the extensions that a configuration can name.
#pragma once

#include "apps/catalog/extension_catalog.hpp"

#include <functional>
#include <optional>

namespace troupe {

/// The options of a kind.
struct KindOptions {
  std::function<config::Node()> defaults;
  /// @throws ConfigError, std::invalid_argument for invalid options, as spawning does.
  std::function<void(const config::Node& options, const std::string& path)> check;
};

/// One kind of extension: its options, and how it is made.
struct ExtensionKind {
  std::string name;
  bool gate = false;            ///< else an observer
  Shows shows = Shows::nothing; ///< the snapshot that its events carry
  std::string workers = "main";
  OnLoss on_end = OnLoss::proceed;
  KindOptions options;
  std::function<Conditions()> conditions;
  std::function<Extension(const config::Node& options, const std::string& path,
                          const ExtensionContext&)>
    spawn;
  /// Whether it has to see every batch with these options; then it is a gate. Empty: never.
  std::function<bool(const config::Node& options, const ExtensionContext&)> needs_every_batch = {};
  /// Adds the records that it writes and needs. Empty: none.
  std::function<void(const config::Node& options, const std::string& path, OrderedExtension& place)>
    place = {};
  /// A second extension of this kind, under another name, acts only at the moments that its section
  /// names, if any: otherwise the row of each epoch would be printed twice.
  bool another_is_extra = false;
  /// Another extension that it adds. Empty: none.
  std::function<std::optional<ConfiguredExtension>(const ConfiguredExtension&)> companion = {};
};

/// All of them, in the order in which help lists them.
const std::vector<ExtensionKind>& extension_kinds();

} // namespace troupe
