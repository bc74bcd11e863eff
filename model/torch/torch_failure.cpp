#include "model/torch/torch_failure.hpp"

#include <algorithm>
#include <string_view>

namespace troupe {

namespace {

/// The text that `marker` underlines with ~ in the line above it; "" if there is no such line.
std::string underlined_text(std::string_view text) {
  const auto marker = text.find("~ <--- HERE");
  if (marker == text.npos)
    return "";
  const auto line = text.rfind('\n', marker) + 1;
  const auto first = text.find('~', line) - line;
  const auto length = marker + 1 - line - first;
  if (line == 0)
    return "";
  const auto above = text.rfind('\n', line - 2) + 1;
  const auto code = text.substr(above, line - 1 - above);
  return first < code.size() ? std::string{code.substr(first, length)} : "";
}

/// "fc1" of "self.fc1" or "self.fc1(x)".
std::string called_layer(const std::string& expression) {
  constexpr std::string_view self = "self.";
  if (!expression.starts_with(self))
    return "";
  return expression.substr(self.size(), expression.find('(') - self.size());
}

/// ", of fc1.weight [3, 4], fc1.bias [3]"; "" if the layer has no parameters.
std::string parameters_of_layer(const std::string& layer, const Layout& layout) {
  constexpr int most = 4;
  std::string text;
  int count = 0;
  for (const auto& parameter : layout.parameters())
    if (!layer.empty() && parameter.name.starts_with(layer + ".") && count++ < most)
      text += (text.empty() ? ", of " : ", ") + parameter.name + " " + to_string(parameter.shape);
  return text + (count > most ? ", ..." : "");
}

/// The last line that names a kind of error, without the kind.
std::string reason_in(std::string_view text) {
  text = text.substr(0, text.find("\nException raised from"));
  constexpr std::string_view kind = "Error: ";
  const auto at = text.rfind(kind);
  std::string reason{at == text.npos ? text.substr(0, text.find('\n'))
                                     : text.substr(at + kind.size())};
  while (!reason.empty() && (reason.back() == '\n' || reason.back() == '.'))
    reason.pop_back();
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return reason;
}

} // namespace

std::string torch_failure(const std::string& message, const Layout& layout) {
  // The original code has the author's names, the serialized code those of the compiler.
  const auto original = message.find("original code");
  const auto where = underlined_text(
    std::string_view{message}.substr(original == std::string::npos ? 0 : original));
  const auto reason = reason_in(message);
  return where.empty()
           ? reason
           : "at " + where + parameters_of_layer(called_layer(where), layout) + ": " + reason;
}

} // namespace troupe
