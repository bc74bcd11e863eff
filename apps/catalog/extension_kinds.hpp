// The table of the extensions that a configuration can name.
#pragma once

#include "apps/catalog/extension_catalog.hpp"

#include <functional>
#include <optional>

namespace troupe {

/// The options of a kind's section.
struct KindOptions {
  std::function<config::Node()> defaults;
  /// @throws ConfigError, std::invalid_argument for options that cannot be, as spawning does.
  std::function<void(const config::Node& options, const std::string& path)> check;
};

/// One kind of extension: what a configuration can say of it, and how it is made.
struct ExtensionKind {
  std::string name;
  bool gate = false;            ///< else an observer
  Shows shows = Shows::nothing; ///< what events carry a snapshot of
  std::string workers = "main";
  OnLoss on_end = OnLoss::proceed;
  KindOptions options;
  std::function<Conditions()> conditions;
  std::function<Extension(const config::Node& options, const std::string& path,
                          const ExtensionContext&)>
    spawn;
  /// Whether it has to see every batch, with these options; then it is a gate. None: never.
  std::function<bool(const config::Node& options, const ExtensionContext&)> needs_every_batch = {};
  /// Adds which records it writes and needs. None: neither.
  std::function<void(const config::Node& options, const std::string& path, OrderedExtension& place)>
    place = {};
  /// One of another name, beside the usual one, listens only at the moments that its section names,
  /// where it names some: else each epoch's row would be printed twice.
  bool another_is_extra = false;
  /// Another extension that it brings along. None: none.
  std::function<std::optional<ConfiguredExtension>(const ConfiguredExtension&)> companion = {};
};

/// All of them, in the order in which help lists them.
const std::vector<ExtensionKind>& extension_kinds();

} // namespace troupe
