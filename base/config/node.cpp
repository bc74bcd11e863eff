#include "base/config/node.hpp"

#include "base/text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace troupe::config {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

} // namespace

Node Node::null(std::string source) {
  Node node;
  node.source_ = std::move(source);
  return node;
}

Node Node::scalar(std::string text, std::string source, bool quoted) {
  Node node;
  node.kind_ = Kind::scalar;
  node.quoted_ = quoted || text.empty();
  node.text_ = std::move(text);
  node.source_ = std::move(source);
  return node;
}

Node Node::list(std::string source) {
  Node node;
  node.kind_ = Kind::list;
  node.source_ = std::move(source);
  return node;
}

Node Node::map(std::string source) {
  Node node;
  node.kind_ = Kind::map;
  node.source_ = std::move(source);
  return node;
}

void Node::set_source(std::string source) { source_ = std::move(source); }

void Node::set_source_everywhere(const std::string& source) {
  source_ = source;
  for (auto& item : items_)
    item.set_source_everywhere(source);
  for (auto& entry : entries_)
    entry.value.set_source_everywhere(source);
}

void Node::append(Node item) {
  if (!is_list())
    *this = list(std::move(source_));
  items_.push_back(std::move(item));
}

const Node* Node::find(std::string_view key) const {
  auto found = std::find_if(entries_.begin(), entries_.end(),
                            [&](const Entry& entry) { return entry.key == key; });
  return found == entries_.end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(static_cast<const Node&>(*this).find(key));
}

Node& Node::put(std::string key, Node value) {
  if (auto* old = find(key))
    return *old = std::move(value);
  return append(std::move(key), std::move(value));
}

Node& Node::append(std::string key, Node value) {
  if (!is_map())
    *this = map(std::move(source_));
  entries_.push_back({std::move(key), std::move(value)});
  return entries_.back().value;
}

bool Node::erase(std::string_view key) {
  return std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key; }) > 0;
}

std::vector<std::string> Node::keys() const {
  std::vector<std::string> keys;
  for (const auto& entry : entries_)
    keys.push_back(entry.key);
  return keys;
}

bool operator==(const Node& a, const Node& b) {
  return a.kind() == b.kind() && a.text() == b.text()
         && (a.quoted() == b.quoted() || !looks_typed(a.text()) || !reads_plain(a.text()))
         && a.items() == b.items() && a.entries() == b.entries();
}

bool operator==(const Entry& a, const Entry& b) { return a.key == b.key && a.value == b.value; }

bool looks_typed(std::string_view text) {
  if (text.empty() || text == "~" || text == "=" || text == "<<")
    return true;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (is_digit(text[0]))
    return true;
  if (text.size() > 1 && (text[0] == '-' || text[0] == '+' || text[0] == '.'))
    return is_digit(text[1]) || text[1] == '.' || std::isalpha(static_cast<unsigned char>(text[1]));
  const auto lower = lower_case(text.substr(0, 6));
  static constexpr std::array words{"null", "true", "false", "yes", "no", "on",
                                    "off",  "y",    "n",     "nan", "inf"};
  return std::find(words.begin(), words.end(), lower) != words.end();
}

bool reads_plain(std::string_view text) {
  if (text.empty() || !(is_word(text.back()) || text.back() == '.' || text.back() == '/'))
    return false;
  const bool sign = text[0] == '-' || text[0] == '+' || text[0] == '.';
  if (!is_word(text[0]) && text[0] != '/'
      && !(sign && text.size() > 1 && (is_word(text[1]) || text[1] == '/'))
      && !text.starts_with("-.") && !text.starts_with("+."))
    return false;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const char c = text[i];
    const bool inner = c == ' ' || c == ':';
    if (!is_word(c) && c != '.' && c != '/' && c != '+' && c != '-'
        && !(inner && is_word(text[i - 1])
             && (is_word(text[i + 1]) || (c == ':' && text[i + 1] == '/'))))
      return false;
  }
  return true;
}

std::optional<bool> switch_of(const Node& node) {
  const auto word = lower_case(node.text());
  if (word == "true" || word == "yes" || word == "on")
    return true;
  if (word == "false" || word == "no" || word == "off")
    return false;
  return {};
}

bool is_off(const Node& node) { return switch_of(node) == std::optional{false}; }

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string result = "'";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // Cuts between characters, so that the text stays valid UTF-8.
    if (i >= longest && (c & 0xC0) != 0x80)
      return result + "...'";
    if (c == '\n') {
      result += "\\n";
    } else if (c < 0x20 || c == 0x7F) {
      result += fmt::format("\\x{:02X}", c);
    } else {
      result += text[i];
    }
  }
  return result + "'";
}

std::string shown(const Node& node) {
  switch (node.kind()) {
  case Node::Kind::null: return "empty";
  case Node::Kind::scalar: return shown(node.text());
  case Node::Kind::list: return "a list";
  case Node::Kind::map: return "a map";
  }
  return "";
}

} // namespace troupe::config
