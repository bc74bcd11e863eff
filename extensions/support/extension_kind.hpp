// What `troupe train` knows of an extension, and where it is registered: in the extension's own
// file.
//
//   const RegisterExtension norms_kind{ExtensionOf<NormsOptions>{
//     .name = "norms",
//     .shows = Shows::step,
//     .conditions = norms_conditions,
//     .spawn = [](const NormsOptions& options, const ExtensionContext& context) {
//       return spawn_norms(context.system, options, context.layout, context.logger);
//     },
//     .writes = {"gradient_norm", "update_ratio"},
//   }};
//
// From there on a configuration can say `extensions: {norms: {per_parameter: true}}`. A program
// that links the file, or a plugin that contains it, needs no other change.
#pragma once

#include "base/config/decode.hpp"
#include "base/failure.hpp"
#include "base/registry.hpp"
#include "extensions/support/configured_extension.hpp"
#include "extensions/support/extension_context.hpp"
#include "extensions/support/run_hooks.hpp"
#include "messages/loop/extension_order.hpp"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// What the trainer writes in the name of a gate that ends training.
inline constexpr const char* finish_requested = "training_finish_requested";

/// The deadline of a gate that waits for other workers, which may take as long as they like.
inline constexpr double no_deadline = std::numeric_limits<double>::infinity();

/// For extensions without options.
struct NoOptions {
  TROUPE_FIELDS();
};

/// One kind of extension, as its author describes it. Only a name and `spawn` are needed.
template <class Options>
struct ExtensionOf {
  std::string name;                ///< as configurations call it
  bool gate = false;               ///< training waits for its answer; else it is an observer
  Shows shows = Shows::nothing;    ///< what its events carry a snapshot of
  std::string workers = "main";    ///< or all: one for each trainer
  OnLoss on_end = OnLoss::proceed; ///< when its actor ends
  double deadline = 600;           ///< seconds for a gate's answer
  bool counts_statistics = false;  ///< of each batch, as problem and model do
  /// It prints rows. The one of the kind's own name also prints those of validations in the middle
  /// of an epoch; one of another name listens only at the moments that its section names, where it
  /// names some: else each epoch's row would be printed twice.
  bool prints_rows = false;
  bool shows_progress = false; ///< a run that shows none leaves it out
  bool only_records
    = false;             ///< all that it does is to write records or to print rows: a worker whose
                         ///< log nobody reads leaves it out
  Options defaults = {}; ///< of its section. `check(options)`, found beside the type, refuses
  std::function<Conditions()> conditions
    = [] { return Conditions{}; }; ///< unless its section names others
  /// @throws std::invalid_argument for options that cannot be.
  std::function<Extension(const Options&, const ExtensionContext&)> spawn;
  std::vector<std::string> writes
    = {}; ///< records that it always writes; a '*' at the end stands for anything
  /// Adds what its options say of the records that it writes and needs, and of its place.
  std::function<void(const Options&, OrderedExtension&)> place = {};
  /// What is shown with these options, if that depends on them.
  std::function<Shows(const Options&)> shows_with = {};
  /// Whether it has to see every batch, with these options; then it is a gate. None: never.
  std::function<bool(const Options&, const ExtensionContext&)> needs_every_batch = {};
  /// Another extension that it brings along. None: none.
  std::function<std::optional<ConfiguredExtension>(const Options&, const ConfiguredExtension& self)>
    companion = {};
  RunHooks<Options> hooks = {}; ///< what a run asks of it besides
};

/// The same for any options: these are read from a section of the configuration.
struct ExtensionKind {
  /// A section's options.
  using Node = config::Node;

  std::string name;                       ///< as in ExtensionOf, and so for those that follow
  bool gate;                              ///< training waits for its answer
  std::string workers;                    ///< "main" or "all"
  OnLoss on_end;                          ///< when its actor ends
  double deadline;                        ///< seconds for a gate's answer
  bool counts_statistics;                 ///< of each batch
  bool prints_rows;                       ///< of the log
  bool shows_progress;                    ///< on the console
  bool only_records;                      ///< it does nothing else than write or print them
  std::function<Conditions()> conditions; ///< unless its section names others
  std::function<Node()> defaults;         ///< of its options
  // All that follow throw ConfigError and std::invalid_argument for options that cannot be. `path`:
  // of the section.
  /// Refuses options that cannot be
  std::function<void(const Node& options, const std::string& path)> check;
  /// The actor
  std::function<Extension(const Node& options, const std::string& path, const ExtensionContext&)>
    spawn;
  /// Adds what it writes and needs
  std::function<void(const Node& options, const std::string& path, OrderedExtension& place)> place;
  /// What its events carry
  std::function<Shows(const Node& options, const std::string& path)> shows;
  std::function<bool(const Node& options, const std::string& path, const ExtensionContext&)>
    needs_every_batch = {}; ///< may be none
  std::function<std::optional<ConfiguredExtension>(const ConfiguredExtension& self)> companion
    = {};           ///< may be none
  RunHooks<> hooks; ///< what a run asks of it besides
};

/// The keys of a section that are options of that kind: the others say when and how it takes part.
config::Node own_options(const ExtensionKind& kind, const config::Node& section);

/// All that are linked or loaded, by name.
template <>
Registry<ExtensionKind>& registry_of();
/// The same, to look up.
inline const Registry<ExtensionKind>& extension_kinds() { return registry_of<ExtensionKind>(); }

/// Makes an extension known to configurations; one of namespace scope in the extension's own file.
class RegisterExtension {
public:
  /// @param kind with a name that no other has
  explicit RegisterExtension(ExtensionKind kind);
  /// @param of with a name that no other has
  template <class Options>
  explicit RegisterExtension(ExtensionOf<Options> of);
};

/// Whether extensions of that kind have a hook, e.g. `has_hook(type, &RunHooks<>::shares)`.
template <class Hook>
bool has_hook(const std::string& type, Hook RunHooks<>::*hook) {
  const auto* kind = extension_kinds().find(type);
  return kind != nullptr && kind->hooks.*hook;
}

/// What an extension answers; nothing where its kind has no such hook, or its options cannot be
/// read, which is reported where they are read.
template <class Hook, class... Facts>
auto hook_answer(const ConfiguredExtension& extension, Hook RunHooks<>::*hook,
                 const Facts&... facts) -> std::optional<typename Hook::result_type> {
  const auto* kind = extension_kinds().find(extension.type);
  if (kind == nullptr || !(kind->hooks.*hook))
    return {};
  try {
    return (kind->hooks.*hook)(extension, facts...);
  } catch (const ConfigError&) {
    return {};
  }
}

template <class Options>
RegisterExtension::RegisterExtension(ExtensionOf<Options> of)
  : RegisterExtension([&of] {
      using config::Node;
      const auto read = [defaults = of.defaults](const Node& section, const std::string& path) {
        return config::options_from(section, path, defaults);
      };
      const auto read_own = [read](const ConfiguredExtension& self) {
        return read(self.options, "extensions." + self.name);
      };
      ExtensionKind kind{
        .name = of.name,
        .gate = of.gate,
        .workers = of.workers,
        .on_end = of.on_end,
        .deadline = of.deadline,
        .counts_statistics = of.counts_statistics,
        .prints_rows = of.prints_rows,
        .shows_progress = of.shows_progress,
        .only_records = of.only_records,
        .conditions = of.conditions,
        .defaults = [defaults = of.defaults] { return config::encode(defaults); },
        .check =
          [read](const Node& section, const std::string& path) {
            [[maybe_unused]] const auto options = read(section, path);
            if constexpr (requires { check(options); })
              check(options);
          },
        .spawn = [read, spawn = of.spawn](
                   const Node& section, const std::string& path,
                   const ExtensionContext& context) { return spawn(read(section, path), context); },
        .place =
          [read, writes = of.writes, place = of.place](const Node& section, const std::string& path,
                                                       OrderedExtension& ordered) {
            ordered.writes = writes;
            if (place)
              place(read(section, path), ordered);
          },
        .shows = [read, shows = of.shows, with = of.shows_with](
                   const Node& section,
                   const std::string& path) { return with ? with(read(section, path)) : shows; },
        .hooks = hooks_with<Options>(read_own, of.hooks)};
      if (of.needs_every_batch)
        kind.needs_every_batch
          = [read, needs = of.needs_every_batch](const Node& section, const std::string& path,
                                                 const ExtensionContext& context) {
              return needs(read(section, path), context);
            };
      if (of.companion)
        kind.companion = [read_own, companion = of.companion](const ConfiguredExtension& self) {
          return companion(read_own(self), self);
        };
      return kind;
    }()) {}

} // namespace troupe
