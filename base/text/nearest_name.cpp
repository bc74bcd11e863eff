#include "base/text/nearest_name.hpp"

#include <algorithm>
#include <cctype>

namespace troupe {

namespace {

// No known name is this long; a longer one would only cost time.
constexpr std::size_t longest = 200;

std::string folded(std::string_view name) {
  std::string result;
  for (char c : name)
    result += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// "lr" for "learning_rate"; "" for a single word.
std::string initials(std::string_view name) {
  std::string result;
  bool begins = true;
  for (const char c : name) {
    if (begins)
      result += c;
    begins = c == '_';
  }
  return result.size() > 1 ? result : "";
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

std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& known) {
  if (name.empty() || name.size() > longest)
    return {};
  const auto mine = folded(name);
  auto best = std::max<std::size_t>(1, mine.size() / 3) + 1; // the first distance that is too large
  std::optional<std::string> result;
  for (const auto& candidate : known) {
    if (candidate.size() > longest)
      continue;
    const auto distance = edit_distance(mine, folded(candidate));
    // A name without a letter in common is no correction: 'a' is not 'b'.
    if (distance < best && distance < mine.size()) {
      best = distance;
      result = candidate;
    }
  }
  if (result)
    return result;
  const auto short_for = std::find_if(known.begin(), known.end(), [&](const auto& candidate) {
    return initials(folded(candidate)) == mine;
  });
  return short_for == known.end() ? result : *short_for;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known,
                       std::string_view rest) {
  const auto near = nearest_name(name, known);
  const auto question = near ? "; did you mean '" + *near + "'?" : std::string{};
  if (rest.empty())
    return question;
  return question + (near ? " " : "; ") + std::string{rest};
}

} // namespace troupe
