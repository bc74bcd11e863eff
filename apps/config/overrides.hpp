// Single values that override files: `training.epochs=3` on the command line, as in Hydra, and
// TROUPE__TRAINING__EPOCHS=3 in the environment.
#pragma once

#include "apps/config/tree.hpp"

#include <optional>

namespace troupe::config {

/// One override on the command line.
struct Override {
  enum class Kind {
    set,    ///< a.b=c    the key must exist
    add,    ///< +a.b=c   it must not exist
    force,  ///< ++a.b=c  it may exist
    remove, ///< ~a.b     it must exist; ~a.b=c: and have this value
  };
  Kind kind = Kind::set;
  Path path;
  std::optional<Node> value; ///< empty only for `remove`
  std::string source;        ///< "command line: a.b=c"
};

/// Parses an override. The value is YAML as inside brackets: `hidden=[64,32]`, `tag='a, b'`;
/// nothing after the `=` is the empty text. A dot inside a key is written `\.`.
/// @throws UsageError for an argument that is not an override. @throws ConfigError for a malformed
/// value.
Override parse_override(std::string_view argument);

/// Applies one override to a tree that already has every known key. A map is merged into a map.
/// @throws ConfigError if the key must (not) exist, with the nearest known one, or for a map in
/// place of a single value or vice versa; the tree is then unchanged.
void apply(Node& tree, const Override& override);

/// `a.b=c`, `+a.b=c`, `++a.b=c`, `~a.b`; every other argument of a command line is a file.
bool is_override(const std::string& argument);

/// A section whose keys need not exist, since its reader checks them: below it `a.b=c` and `+a.b=c`
/// mean `++a.b=c`. Empty: no section; the root: everywhere.
using OpenSection = std::optional<Path>;

/// Applies overrides of a command line in order.
/// @returns a sentence for each that failed; the others are applied.
Sentences apply_overrides(Node& tree, const std::vector<std::string>& overrides,
                          const OpenSection& open = {});

inline constexpr std::string_view environment_prefix = "TROUPE__";

/// "NAME=value" of each variable of this process whose name starts with `environment_prefix`,
/// sorted.
std::vector<std::string> environment();

/// The names of this process's variables that begin like settings, but with one `_`, sorted.
std::vector<std::string> misnamed_variables();

/// @returns a sentence for each of these variables that names a setting of the tree: TROUPE_EPOCHS
/// is meant to be TROUPE__TRAINING__EPOCHS.
Sentences remarks_on_misnamed(const Node& tree, const std::vector<std::string>& variables);

/// Sets TROUPE__TRAINING__BATCH_SIZE=64 as training.batch_size: `__` separates the keys, whose case
/// does not matter and which must exist except below `open`. Variables without the prefix are
/// ignored.
/// @returns a sentence for each variable that failed; the others are applied.
Sentences apply_environment(Node& tree, const std::vector<std::string>& variables,
                            const OpenSection& open = {});

} // namespace troupe::config
