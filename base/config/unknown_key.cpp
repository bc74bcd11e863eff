#include "base/config/unknown_key.hpp"

#include "base/config/node.hpp"
#include "base/text/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::config {

namespace {

/// Keys of earlier versions, each with the key that replaces it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> renamed_keys{{
  {"drift", "divergence"},
  {"parameter_modifier", "hyperparameter_scheduler"},
}};

/// Keys of earlier versions that another section has now.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> moved_keys{{
  {"run.store", "log.store.path"},
}};

/// The key that replaces one of an earlier version; "" if there is none.
std::string_view new_name_of(std::string_view key, std::string_view section,
                             const std::vector<std::string>& known) {
  const auto path = std::string(section) + "." + std::string(key);
  for (const auto& [before, now] : moved_keys)
    if (path == before)
      return now;
  for (const auto& [before, now] : renamed_keys)
    if (key == before && std::find(known.begin(), known.end(), now) != known.end())
      return now;
  return {};
}

} // namespace

std::string unknown_key(std::string_view key, std::string_view section, std::string_view source,
                        const std::vector<std::string>& known, std::string_view elsewhere) {
  std::string text = "unknown key " + shown(key);
  text += section.empty() ? " at the top level" : " in " + std::string(section);
  text += " (" + std::string(source) + ")";
  if (const auto now = new_name_of(key, section, known); !now.empty())
    text += "; it is now called " + shown(now) + ";";
  else if (auto close = nearest_name(key, known))
    text += "; did you mean " + shown(*close) + "?";
  else if (!elsewhere.empty())
    text += "; did you mean " + shown(elsewhere) + "?";
  else
    text += ";";
  if (known.empty())
    return text + " its keys are yours to name; give it as a whole, like " + std::string(section)
           + "='{key: value}'";
  constexpr std::size_t enough = 40;
  text += " known keys: ";
  for (std::size_t i = 0; i < std::min(known.size(), enough); ++i)
    text += (i == 0 ? "" : ", ") + known[i];
  return known.size() > enough ? text + ", ..." : text;
}

std::string unknown_key_of(const Node& section, std::string_view key, std::string_view path,
                           std::string_view source, const std::vector<std::string>& known,
                           std::string_view elsewhere) {
  const auto* name = section.find("name");
  if (name == nullptr || !name->is_scalar() || nearest_name(key, known))
    return unknown_key(key, path, source, known, elsewhere);
  return unknown_key(key, path, source, known) + ": those of " + name->text() + "; set "
         + std::string(path) + ".name, too, if the key is of another one";
}

} // namespace troupe::config
