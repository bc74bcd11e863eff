#include "apps/manual/man_page.hpp"

#include "base/text/text.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace troupe {

namespace {

/// Escapes what roff would take for a request or for a typographic hyphen.
std::string escaped_roff(const std::string& text) {
  std::string escaped;
  for (const char c : text)
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n'))
      escaped += std::string{"\\&"} + c;
    else
      escaped += c;
  return escaped;
}

std::string hyphenated(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

/// A name in bold, with the value that follows it in italics.
std::string option_term(const OptionDescription& option, bool positional) {
  if (positional)
    return "\\fI" + escaped_roff(option.names.front()) + "\\fR" + (option.repeats ? " ..." : "");
  std::string names;
  for (const auto& name : option.names)
    names += (names.empty() ? "\\fB" : ", \\fB") + escaped_roff(name) + "\\fR";
  return option.value.empty() ? names : names + " \\fI" + escaped_roff(option.value) + "\\fR";
}

std::string option_explanation(const OptionDescription& option) {
  if (option.choices.empty())
    return escaped_roff(option.text);
  return escaped_roff(option.text + (option.text.empty() ? "" : "; ") + "one of "
                      + joined(option.choices));
}

std::string page_synopsis(const CommandDescription& command) {
  auto text = ".B " + escaped_roff(command.name) + "\n";
  if (!command.options.empty())
    text += "[\\fIoptions\\fR]\n";
  for (const auto& positional : command.positionals)
    text += positional.required ? option_term(positional, true) + "\n"
                                : "[" + option_term(positional, true) + "]\n";
  if (!command.commands.empty())
    text += "\\fIcommand\\fR ...\n";
  return text;
}

std::string option_list(const std::string& title, const std::vector<OptionDescription>& options,
                        bool positional) {
  if (options.empty())
    return "";
  auto text = ".SH " + title + "\n";
  for (const auto& option : options)
    text += ".TP\n" + option_term(option, positional) + "\n" + option_explanation(option) + "\n";
  return text;
}

/// "Examples:" begins a section; so does "Exit codes: 0 done; ...", with text behind its title.
bool begins_section(const std::string& line) {
  const auto colon = line.find(": ");
  return !line.empty() && std::isupper(static_cast<unsigned char>(line.front())) != 0
         && (line.back() == ':' || colon < 20);
}

std::string footer_sections(const std::string& footer) {
  std::istringstream lines{footer};
  std::string text;
  bool open = false;
  for (std::string line; std::getline(lines, line);) {
    if (begins_section(line)) {
      const auto colon = line.find(':');
      text += std::string{open ? ".fi\n" : ""} + ".SH " + upper_case(line.substr(0, colon))
              + "\n.nf\n";
      open = true;
      line.erase(0, std::min(line.size(), colon + 2));
    } else if (!open && !line.empty()) {
      text += ".SH NOTES\n.nf\n";
      open = true;
    }
    if (!line.empty())
      text += escaped_roff(line) + "\n";
  }
  return open ? text + ".fi\n" : text;
}

} // namespace

std::string man_page_file(const CommandDescription& command) {
  return hyphenated(command.name) + ".1";
}

std::string man_page(const CommandDescription& command, const std::string& version) {
  auto page = ".TH " + upper_case(hyphenated(command.name)) + " 1 \"\" \"" + version
              + "\"\n.SH NAME\n" + escaped_roff(hyphenated(command.name)) + " \\- "
              + escaped_roff(command.text) + "\n.SH SYNOPSIS\n.nh\n" + page_synopsis(command)
              + ".hy\n" + option_list("ARGUMENTS", command.positionals, true)
              + option_list("OPTIONS", command.options, false);
  if (!command.commands.empty())
    page += ".SH COMMANDS\n";
  for (const auto& sub : command.commands)
    page += ".TP\n\\fB" + escaped_roff(hyphenated(sub.name)) + "\\fR(1)\n" + escaped_roff(sub.text)
            + "\n";
  return page + footer_sections(command.footer);
}

} // namespace troupe
