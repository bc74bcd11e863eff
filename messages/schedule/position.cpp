#include "messages/schedule/position.hpp"

#include "base/text/nearest_name.hpp"

#include <array>
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
  auto sentence = "unknown timeline '" + std::string{name} + "'";
  if (const auto near = suggestion(name, known); !near.empty())
    return sentence + near;
  sentence += "; known are";
  for (const auto& one : known)
    sentence += (&one == &known.front() ? " " : ", ") + one;
  return sentence;
}

} // namespace troupe
