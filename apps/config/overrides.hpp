// Single values over the files: `training.epochs=3` on the command line, as in Hydra, and
// TROUPE__TRAINING__EPOCHS=3 in the environment.
#pragma once

#include "apps/config/tree.hpp"

#include <optional>

namespace troupe::config {

/// One word of the command line.
struct Override {
  enum class Kind {
    set,    ///< a.b=c    the key must be there
    add,    ///< +a.b=c   it must not
    force,  ///< ++a.b=c  either way, whatever is there
    remove, ///< ~a.b     it must be there; ~a.b=c: and have this value
  };
  Kind kind = Kind::set;
  Path path;
  std::optional<Node> value; ///< nothing only for `remove`
  std::string source;        ///< "command line: a.b=c"
};

/// Reads an override. The value is YAML as inside brackets: `hidden=[64,32]`, `tag='a, b'`; nothing
/// behind the `=` is the empty text. A dot inside a key is written `\.`.
/// @throws UsageError for a word that is no override. @throws ConfigError for a value that is none.
Override parse_override(std::string_view word);

/// Applies one override to a tree that already has every known key. A map is merged into a map.
/// @throws ConfigError for a key that is (not) there, with the nearest known one, or where a map
///         meets a single value; the tree is then as it was.
void apply(Node& tree, const Override& override);

/// `a.b=c`, `+a.b=c`, `++a.b=c`, `~a.b`; every other word of a command line is a file.
bool is_override(const std::string& word);

/// Below it a key need not be there, since whoever reads it checks it: `a.b=c` and `+a.b=c` are as
/// `++a.b=c`. Nowhere where it is nothing, everywhere where it is the root.
using OpenSection = std::optional<Path>;

/// Applies the words of a command line in their order.
/// @returns a sentence for each that failed; the others are applied.
Sentences apply_overrides(Node& tree, const std::vector<std::string>& words,
                          const OpenSection& open = {});

inline constexpr std::string_view environment_prefix = "TROUPE__";

/// "NAME=value" of each variable of this process whose name begins with `environment_prefix`,
/// sorted.
std::vector<std::string> environment();

/// Sets TROUPE__TRAINING__BATCH_SIZE=64 as training.batch_size: `__` parts the keys, which are
/// found whatever their capitals and, but below `open`, must be there. Others than "TROUPE__..."
/// are passed over.
/// @returns a sentence for each variable that failed; the others are applied.
Sentences apply_environment(Node& tree, const std::vector<std::string>& variables,
                            const OpenSection& open = {});

} // namespace troupe::config
