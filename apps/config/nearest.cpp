#include "troupe/apps/config/nearest.hpp"

#include "troupe/apps/config/value.hpp"

#include <algorithm>
#include <cctype>

namespace troupe::config {

namespace {

// No key is this long; a word that is would only cost time.
constexpr std::size_t longest = 200;

std::string folded(std::string_view word) {
  std::string result;
  for (char c : word)
    result += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

} // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t wrong = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + wrong});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > longest)
    return {};
  const auto mine = folded(word);
  auto best = std::max<std::size_t>(1, mine.size() / 3) + 1; // the first distance too far
  std::optional<std::string> result;
  for (const auto& candidate : known) {
    if (candidate.size() > longest)
      continue;
    const auto distance = edit_distance(mine, folded(candidate));
    // A word without a letter in common is no correction: 'a' is not 'b'.
    if (distance < best && distance < mine.size()) {
      best = distance;
      result = candidate;
    }
  }
  return result;
}

std::string unknown_key(std::string_view key, std::string_view section, std::string_view source,
                        const std::vector<std::string>& known, std::string_view elsewhere) {
  std::string text = "unknown key " + shown(key);
  text += section.empty() ? " at the top level" : " in " + std::string(section);
  text += " (" + std::string(source) + ")";
  if (auto close = nearest(key, known))
    text += "; did you mean " + shown(*close) + "?";
  else if (!elsewhere.empty())
    text += "; did you mean " + shown(elsewhere) + "?";
  else
    text += ";";
  if (known.empty())
    return text + " there are no keys here";
  constexpr std::size_t enough = 40;
  text += " known keys: ";
  for (std::size_t i = 0; i < std::min(known.size(), enough); ++i)
    text += (i == 0 ? "" : ", ") + known[i];
  return known.size() > enough ? text + ", ..." : text;
}

} // namespace troupe::config
