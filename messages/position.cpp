#include "troupe/messages/position.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

namespace troupe {

namespace {

struct Names {
  std::string_view plural, singular;
};

constexpr std::array<Names, 5> builtin_names{{{"batches", "batch"},
                                              {"epochs", "epoch"},
                                              {"examples", "example"},
                                              {"seconds", "second"},
                                              {"training_seconds", "training_second"}}};

/// Letters to insert, remove or replace (Levenshtein, 1966).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

} // namespace

std::optional<Timeline> builtin_timeline(std::string_view name) {
  for (std::size_t i = 0; i < builtin_names.size(); ++i)
    if (name == builtin_names[i].plural || name == builtin_names[i].singular)
      return static_cast<Timeline>(i);
  return std::nullopt;
}

bool is_builtin_timeline(std::string_view name) { return builtin_timeline(name).has_value(); }

std::string_view name_of(Timeline timeline) {
  const auto i = static_cast<std::size_t>(timeline);
  return i < builtin_names.size() ? builtin_names[i].plural : std::string_view{};
}

double time_on(const Position& position, std::string_view timeline) {
  if (auto builtin = builtin_timeline(timeline))
    return time_on(position, *builtin);
  auto found = position.timelines.find(std::string{timeline});
  if (found == position.timelines.end())
    throw std::invalid_argument(unknown_timeline(timeline, custom_timelines(position)));
  return found->second;
}

std::vector<std::string> custom_timelines(const Position& position) {
  std::vector<std::string> names;
  for (const auto& [name, time] : position.timelines)
    names.push_back(name);
  return names;
}

std::string unknown_timeline(std::string_view name, const std::vector<std::string>& registered) {
  std::vector<std::string> known;
  for (auto [plural, singular] : builtin_names)
    known.emplace_back(plural);
  known.insert(known.end(), registered.begin(), registered.end());
  auto sentence = "unknown timeline '" + std::string{name} + "'; ";
  const auto near = nearest_name(name, known);
  if (!near.empty())
    return sentence + "did you mean '" + near + "'?";
  sentence += "known are";
  for (const auto& one : known)
    sentence += (&one == &known.front() ? " " : ", ") + one;
  return sentence;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  // Longer words are no typing error of anything, and would cost quadratic time.
  if (name.size() > 100)
    return "";
  std::string best;
  auto fewest = std::max<std::size_t>(name.size() / 3, 1) + 1;
  for (const auto& one : known)
    if (auto d = distance(name, one); d < fewest) {
      fewest = d;
      best = one;
    }
  return best;
}

} // namespace troupe
