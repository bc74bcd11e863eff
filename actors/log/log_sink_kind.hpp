// The log sinks that a configuration can name; each is registered in its own file.
//
//   const RegisterLogSink store_kind{log_sink_kind<StoreSink, StoreOptions>("store")};
//
// From there on a configuration can say `log: {store: {path: logs.sqlite}}`.
#pragma once

#include "actors/log/log_sink.hpp"
#include "base/config/component_kind.hpp"
#include "base/registry.hpp"

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace troupe {

/// Opens the sink of a log. It throws IoError or std::invalid_argument where it cannot.
using LogSinkFactory = std::function<std::unique_ptr<LogSink>(const OpenedLog& log)>;
/// Makes, of a section of the configuration, what opens the sink of each log.
using LogSinkKind = ComponentKind<LogSinkFactory>;

/// One that a configuration names, with its options.
struct NamedLogSink {
  std::string name;    ///< of its kind
  LogSinkFactory open; ///< called once for each log
};

/// A sink of a program, made by the constructor without arguments or from an OpenedLog.
template <class Made>
NamedLogSink own_log_sink(std::string name) {
  return {std::move(name), [](const OpenedLog& log) {
            if constexpr (std::is_constructible_v<Made, const OpenedLog&>)
              return std::make_unique<Made>(log);
            else
              return std::make_unique<Made>();
          }};
}

/// All that are linked or loaded, by name.
template <>
Registry<LogSinkKind>& registry_of();
/// The same, to look up.
inline const Registry<LogSinkKind>& log_sink_kinds() { return registry_of<LogSinkKind>(); }

/// Makes a sink known to configurations; one of namespace scope in the sink's own file.
using RegisterLogSink = Registration<LogSinkKind>;

/// A sink whose constructor takes its options and the log. `check(options)`, found beside their
/// type, refuses what cannot be before anything is opened.
template <class Made, HasFields Options>
LogSinkKind log_sink_kind(std::string name, Options defaults = {}) {
  return {std::move(name), [defaults] { return config::encode(defaults); },
          [defaults](const config::Node& section, const std::string& path) -> LogSinkFactory {
            const auto options = config::options_from(section, path, defaults);
            if constexpr (requires { check(options); })
              check(options);
            return [options](const OpenedLog& log) { return std::make_unique<Made>(options, log); };
          }};
}

} // namespace troupe
