#include "apps/config/print.hpp"

#include "base/text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace troupe::config {

namespace {

struct Line {
  std::string text;
  std::string source = {}; // of the value on this line; "" if it has none
};

std::string in_double_quotes(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string key_text(const std::string& key) {
  return reads_plain(key) && !looks_typed(key) ? key : in_double_quotes(key);
}

std::string scalar_text(const Node& node) {
  const bool plain = reads_plain(node.text()) && !(node.quoted() && looks_typed(node.text()));
  return plain ? node.text() : in_double_quotes(node.text());
}

bool fits_one_line(const Node& node) {
  if (node.is_map())
    return node.entries().empty();
  return std::all_of(node.items().begin(), node.items().end(), fits_one_line);
}

std::string flow_text(const Node& node) {
  switch (node.kind()) {
  case Node::Kind::null: return "null";
  case Node::Kind::scalar: return scalar_text(node);
  case Node::Kind::list: return "[" + joined(node.items(), ", ", flow_text) + "]";
  case Node::Kind::map: break;
  }
  const auto entry_text
    = [](const auto& entry) { return key_text(entry.key) + ": " + flow_text(entry.value); };
  return "{" + joined(node.entries(), ", ", entry_text) + "}";
}

void write(const Node& node, std::size_t indent, std::vector<Line>& lines) {
  const std::string margin(indent, ' ');
  for (const auto& entry : node.entries()) {
    auto head = margin + key_text(entry.key) + ":";
    if (fits_one_line(entry.value)) {
      lines.push_back({head + " " + flow_text(entry.value), entry.value.source()});
    } else {
      lines.push_back({std::move(head)});
      write(entry.value, indent + 2, lines);
    }
  }
  for (const auto& item : node.items()) {
    if (fits_one_line(item)) {
      lines.push_back({margin + "- " + flow_text(item), item.source()});
      continue;
    }
    const auto first = lines.size();
    write(item, indent + 2, lines);
    lines[first].text[indent] = '-'; // the first line of the item carries the dash
  }
}

std::vector<Line> yaml_lines(const Node& tree) {
  std::vector<Line> lines;
  if (fits_one_line(tree))
    lines.push_back({flow_text(tree), tree.source()});
  else
    write(tree, 0, lines);
  return lines;
}

// A source may quote user input; a newline in it would end the comment.
std::string comment(const std::string& source) {
  std::string text;
  for (char c : source)
    text += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  return text;
}

} // namespace

std::string to_yaml(const Node& tree) {
  std::string text;
  for (const auto& line : yaml_lines(tree))
    text += line.text + "\n";
  return text;
}

std::string setting_text(const Node& value) {
  auto text = to_yaml(value);
  if (text.ends_with('\n'))
    text.pop_back();
  return text;
}

std::string on_one_line(const Node& value) {
  auto text = to_yaml(value);
  while (text.ends_with('\n'))
    text.pop_back();
  return text.find('\n') == std::string::npos ? text : shown(value);
}

std::string to_yaml_with_sources(const Node& tree) {
  constexpr std::size_t widest = 60; // one long list must not push every comment off the screen
  const auto lines = yaml_lines(tree);
  std::size_t column = 0;
  for (const auto& line : lines)
    if (!line.source.empty() && line.text.size() <= widest)
      column = std::max(column, line.text.size());
  std::string text;
  for (const auto& line : lines) {
    text += line.text;
    if (!line.source.empty())
      text += std::string(column - std::min(column, line.text.size()) + 2, ' ') + "# "
              + comment(line.source);
    text += "\n";
  }
  return text;
}

} // namespace troupe::config
