#include "apps/config/yaml.hpp"

#include "apps/config/yaml_mistake.hpp"
#include "base/text/utf8.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

namespace troupe::config {

namespace {

std::size_t size_of(const Node& node) {
  std::size_t size = 1;
  for (const auto& item : node.items())
    size += size_of(item);
  for (const auto& entry : node.entries())
    size += size_of(entry.value);
  return size;
}

std::size_t height_of(const Node& node) {
  std::size_t below = 0;
  for (const auto& item : node.items())
    below = std::max(below, height_of(item));
  for (const auto& entry : node.entries())
    below = std::max(below, height_of(entry.value));
  return below + 1;
}

// Whether quotes are closed. The parser does not notice an open quote if a line break follows the
// last text, and would make all keys up to the end of the file part of it.
class Quotes {
public:
  explicit Quotes(std::string_view text) : text_(text) {
    for (auto end = text.find('\n'); end != text.npos; end = text.find('\n', end + 1))
      lines_.push_back(end + 1);
  }

  /// @param mark of a scalar
  bool closed(const YAML::Mark& mark) const {
    const auto line = static_cast<std::size_t>(mark.line);
    if (line >= lines_.size())
      return true;
    auto at = lines_[line] + static_cast<std::size_t>(mark.column);
    if (at >= text_.size() || (text_[at] != '"' && text_[at] != '\''))
      return true;
    const auto quote = text_[at];
    while (++at < text_.size())
      if (quote == '"' && text_[at] == '\\')
        ++at;
      else if (text_[at] == quote) {
        if (quote == '"' || at + 1 == text_.size() || text_[at + 1] != quote)
          return true;
        ++at;
      }
    return false;
  }

private:
  std::string_view text_;
  std::vector<std::size_t> lines_{0}; ///< their begins
};

// Builds the tree from the parser's events rather than from YAML::Node, because only events
// distinguish quoted from plain texts and allow to stop before an alias is multiplied.
class TreeBuilder : public YAML::EventHandler {
public:
  TreeBuilder(std::string name, std::string_view text) : name_(std::move(name)), quotes_(text) {}

  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0)
      fail(mark, "a second document begins here; put it into its own file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    place(mark, Node::null(where(mark)), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    const bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    if (quoted && !quotes_.closed(mark))
      fail(mark, "a quote is not closed; close it");
    place(mark, Node::scalar(value, where(mark), quoted), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end())
      fail(mark, "this alias is inside its own anchor");
    if (open_.size() + known->second.height > depth_limit)
      fail(mark, too_deep());
    count(mark, known->second.size);
    place(mark, Node{known->second.node}, YAML::NullAnchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, Node::list(where(mark)));
  }
  void OnSequenceEnd() override { end(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, Node::map(where(mark)));
  }
  void OnMapEnd() override { end(); }

private:
  struct Open {
    Node node;
    YAML::Mark mark;
    YAML::anchor_t anchor = YAML::NullAnchor;
    std::optional<std::string> key = {}; // whose value is still to come
    bool key_quoted = false;
    YAML::Mark key_mark = {};
    std::set<std::string> keys = {};
    std::vector<Node> merged = {}; // values of `<<`
  };

  struct Anchored {
    Node node;
    std::size_t size = 0, height = 0;
  };

  std::string where(const YAML::Mark& mark) const {
    return name_ + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
  }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& sentence) const {
    throw ConfigError(where(mark) + ": " + sentence);
  }

  static std::string too_deep() {
    return "the configuration is nested deeper than " + std::to_string(depth_limit) + " levels";
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!" && !tag.starts_with("tag:yaml.org,2002:"))
      fail(mark, "the tag " + shown(tag) + " means nothing here; remove it");
  }

  void count(const YAML::Mark& mark, std::size_t more) {
    if ((values_ += more) > most_values)
      fail(mark, "the configuration has more than " + std::to_string(most_values) + " values");
  }

  void begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node node) {
    check_tag(mark, tag);
    if (open_.size() + 1 >= depth_limit)
      fail(mark, too_deep());
    open_.push_back({std::move(node), mark, anchor});
  }

  void end() {
    auto done = std::move(open_.back());
    open_.pop_back();
    for (const auto& from : done.merged)
      for (const auto& entry : from.entries())
        if (done.keys.insert(entry.key).second)
          done.node.append(entry.key, entry.value);
    place(done.mark, std::move(done.node), done.anchor);
  }

  void place(const YAML::Mark& mark, Node node, YAML::anchor_t anchor) {
    count(mark, 1);
    if (anchor != YAML::NullAnchor)
      anchors_[anchor] = {node, size_of(node), height_of(node)};
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    auto& parent = open_.back();
    if (parent.node.is_list()) {
      parent.node.append(std::move(node));
    } else if (!parent.key) {
      take_key(parent, mark, node);
    } else if (*parent.key == "<<" && !parent.key_quoted && merges(node)) {
      parent.key.reset();
      if (node.is_map())
        parent.merged.push_back(std::move(node));
      else
        parent.merged = node.items();
    } else {
      node.set_source(where(parent.key_mark));
      parent.node.append(std::move(*parent.key), std::move(node));
      parent.key.reset();
    }
  }

  void take_key(Open& parent, const YAML::Mark& mark, const Node& node) {
    if (!node.is_scalar())
      fail(mark, "a key must be a text, and this one is " + shown(node));
    if (node.text().starts_with("\xC2\xA0") && !node.quoted())
      fail(mark, "the line is indented with no-break spaces; use spaces instead");
    if (!parent.keys.insert(node.text()).second)
      fail(mark, "the key " + shown(node.text()) + " is given twice in one map; leave one out");
    if (parent.keys.size() > most_keys)
      fail(mark, "one map has more than " + std::to_string(most_keys) + " keys");
    parent.key = node.text();
    parent.key_quoted = node.quoted();
    parent.key_mark = mark;
  }

  static bool merges(const Node& node) {
    return node.is_map()
           || (node.is_list() && !node.items().empty()
               && std::all_of(node.items().begin(), node.items().end(),
                              [](const Node& item) { return item.is_map(); }));
  }

  std::string name_;
  Quotes quotes_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  Node root_;
  std::size_t values_ = 0;
  int documents_ = 0;
};

/// Line and column of a byte, as ":2:5".
std::string line_and_column(std::string_view text, std::size_t at) {
  const auto before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const auto begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  return ":" + std::to_string(line) + ":" + std::to_string(at - begin + 1);
}

/// Checks text without a byte order mark of UTF-16 or UTF-32, which the parser reads as well.
void check_utf8(std::string_view text, const std::string& name) {
  if (text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE")
      || text.starts_with(std::string_view{"\0\0\xFE\xFF", 4}))
    return;
  const auto wrong = find_invalid_utf8(text);
  if (wrong == text.npos)
    return;
  throw ConfigError(name + line_and_column(text, wrong) + ": the byte "
                    + fmt::format("0x{:02X}", static_cast<unsigned char>(text[wrong]))
                    + " is not UTF-8; save the text as UTF-8, like: iconv -f LATIN1 -t UTF-8");
}

Node parse(std::string_view text, const std::string& name) {
  check_utf8(text, name);
  if (text.size() > largest_file)
    throw ConfigError(name + " is larger than " + std::to_string(largest_file >> 20)
                      + " MiB, too large for a configuration");
  std::istringstream stream{std::string{text}};
  TreeBuilder builder{name, without_utf8_mark(text)};
  try {
    YAML::Parser parser{stream};
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Failure&) {
    throw;
  } catch (const YAML::Exception& error) {
    const auto place = error.mark.is_null() ? ""
                                            : ":" + std::to_string(error.mark.line + 1) + ":"
                                                + std::to_string(error.mark.column + 1);
    throw ConfigError(
      name + place + ": "
      + yaml_mistake(text, static_cast<std::size_t>(error.mark.line) + 1, error.msg));
  } catch (const std::exception& error) {
    throw ConfigError(name + ": this cannot be read as YAML: " + error.what());
  }
  return builder.take();
}

} // namespace

Node read_yaml(std::string_view text, const std::string& name) {
  auto tree = parse(text, name);
  if (tree.is_null())
    return Node::map(name);
  if (!tree.is_map())
    throw ConfigError(
      tree.source() + ": a configuration is a map of keys and values, and this is " + shown(tree)
      + (tree.is_scalar() ? "; write keys and values, or, if it is a table, read it "
                            "with problem.name=csv problem.path="
                              + name
                          : ""));
  return tree;
}

Node read_yaml_file(const std::filesystem::path& path) {
  const auto cannot = [&](const std::string& reason) {
    return ConfigError("the configuration file " + shown(path.string())
                       + " cannot be read: " + reason);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw cannot("it is a folder");
  errno = 0;
  std::ifstream file{path, std::ios::binary};
  if (!file)
    throw cannot(std::generic_category().message(errno));
  // More than allowed, so that `parse` notices that the file is too large, also from a pipe.
  std::string text;
  std::array<char, 1 << 14> piece{};
  while (text.size() <= largest_file && file) {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad())
    throw cannot(std::generic_category().message(errno));
  return read_yaml(text, path.string());
}

bool has_open_bracket(std::string_view text) {
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
  }
  return depth > 0;
}

namespace {

/// ", 0.5 for a number" for 0,5; else "".
std::string decimal_point_for(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == text.npos || comma == 0 || comma + 1 == text.size()
      || text.find_first_not_of("0123456789,") != text.npos
      || text.find(',', comma + 1) != text.npos)
    return "";
  return ", " + std::string{text.substr(0, comma)} + "." + std::string{text.substr(comma + 1)}
         + " for a number";
}

} // namespace

Node read_value(std::string_view text, const std::string& source) {
  if (text.find_first_not_of(" \t\n") == text.npos)
    return Node::scalar("", source, true);
  if (text == "," || text == "|") // a separator of columns
    return Node::scalar(std::string{text}, source, true);
  const auto wrong = [&](const std::string& reason) {
    return ConfigError("the value " + shown(text) + " (" + source + ") " + reason);
  };
  Node list;
  try {
    list = parse("[" + std::string{text} + "]", "");
  } catch (const ConfigError& error) {
    if (has_open_bracket(text))
      throw wrong("cannot be read: a bracket is not closed; close it, or put a text into quotes");
    if (text.front() == '#' || text.find(" #") != text.npos)
      throw wrong("is a comment from its # on; put a text into quotes");
    // Its line and column would count the bracket that was added here.
    const std::string_view sentence = error.what();
    const auto colon = sentence.find(": ");
    const auto reason = std::string{sentence.substr(colon == sentence.npos ? 0 : colon + 2)};
    throw wrong("cannot be read: " + reason
                + (reason.find("into quotes") == reason.npos ? "; put a text into quotes" : ""));
  }
  if (!list.is_list() || list.items().empty())
    throw wrong("is not a value; put a text into quotes");
  if (list.items().size() > 1)
    throw wrong("is more than one; write [a, b] for a list, 'a, b' for a text"
                + decimal_point_for(text));
  if (list.items().front().is_null() && text.find(',') != text.npos)
    throw wrong("is not a value; put a text into quotes"); // a comma, which the parser accepts
  auto value = list.items().front();
  value.set_source_everywhere(source);
  return value;
}

} // namespace troupe::config
