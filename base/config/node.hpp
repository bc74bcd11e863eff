// A configuration as it was written: a tree of texts, each with its source. The type of the option
// that reads a text (decode.hpp) determines its meaning, which is never guessed from its form: `NO`
// is a country for a text and false for a switch, `010` is ten.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::config {

/// The source of a value that was not set.
inline constexpr const char* default_source = "default";

/// Deeper trees are refused, whatever their source, so that recursion over a tree is safe.
inline constexpr std::size_t depth_limit = 64;

struct Entry;

/// One value of the configuration: nothing, a scalar, a list, or a map that keeps its order.
class Node {
public:
  /// What a node is.
  enum class Kind {
    null,   ///< nothing
    scalar, ///< a text
    list,   ///< nodes in their order
    map,    ///< keys and nodes, in their order
  };

  Node() = default; ///< null, from `default_source`
  /// Nothing.
  static Node null(std::string source = default_source);
  /// `quoted`: written in quotes, so certainly a text. The empty text always counts as quoted.
  static Node scalar(std::string text, std::string source = default_source, bool quoted = false);
  /// An empty list.
  static Node list(std::string source = default_source);
  /// An empty map.
  static Node map(std::string source = default_source);

  /// What it is.
  Kind kind() const { return kind_; }
  /// Whether it is nothing.
  bool is_null() const { return kind_ == Kind::null; }
  /// Whether it is a text.
  bool is_scalar() const { return kind_ == Kind::scalar; }
  /// Whether it is a list, also an empty one.
  bool is_list() const { return kind_ == Kind::list; }
  /// Whether it is a map, also an empty one.
  bool is_map() const { return kind_ == Kind::map; }

  const std::string& text() const { return text_; } ///< of a scalar, else ""
  bool quoted() const { return quoted_; }           ///< of a scalar, else false

  /// Where it was set: "default", "run.yaml:12:5" (line and column from 1; of the key for an entry
  /// of a map), "environment TROUPE__TRAINING__EPOCHS" or "command line: training.epochs=3".
  const std::string& source() const { return source_; }
  /// Of this node alone.
  void set_source(std::string source);
  void set_source_everywhere(const std::string& source); ///< of this node and all below it

  const std::vector<Node>& items() const { return items_; } ///< of a list, else empty
  void append(Node item);                                   ///< makes it a list

  const std::vector<Entry>& entries() const { return entries_; } ///< of a map, else empty
  const Node* find(std::string_view key) const; ///< nullptr if it is absent or this is no map
  /// The same, to be changed. The pointer is valid until the map changes.
  Node* find(std::string_view key);
  /// Sets or appends `key`; makes it a map. The reference is valid until the next change.
  Node& put(std::string key, Node value);
  /// The same for a key that is known to be new; does not search the map.
  Node& append(std::string key, Node value);
  bool erase(std::string_view key); ///< false if it was absent
  /// Of a map in its order, else empty.
  std::vector<std::string> keys() const;

private:
  Kind kind_ = Kind::null;
  bool quoted_ = false;
  std::string text_;
  std::string source_ = default_source;
  std::vector<Node> items_;
  std::vector<Entry> entries_;
};

/// One key of a map.
struct Entry {
  std::string key; ///< unique in its map
  Node value;      ///< of that key
};

/// Compares values and order, not sources. Quotes count only if they distinguish a text from
/// another value: '12' is not 12, but 'mnist' is mnist.
bool operator==(const Node& a, const Node& b);
/// Compares key and value.
bool operator==(const Entry& a, const Entry& b);

/// True if YAML 1.1 may take the unquoted text for something other than a text: null, a switch,
/// a number, a date. In doubt true.
bool looks_typed(std::string_view text);

/// True if every YAML reader takes the unquoted text for one scalar with exactly this text.
/// Stricter than YAML.
bool reads_plain(std::string_view text);

/// The value of a switch: true for true, yes and on, false for false, no and off, in any case.
/// Nothing for other texts.
std::optional<bool> switch_of(const Node& node);

/// Whether a switch says false.
bool is_off(const Node& node);

/// `text` in single quotes for messages: on one line, control characters escaped, cut if long.
std::string shown(std::string_view text);

/// The kind of a node for messages: "a map", "a list", "'many'", "empty".
std::string shown(const Node& node);

} // namespace troupe::config
