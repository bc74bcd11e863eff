// The position of a run, measured on all timelines at once.
#pragma once

#include "base/fields.hpp"
#include "base/types.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// How far training has come. Counts are of finished things, so all are 0 before the first step,
/// and a resumed run continues from the saved ones. Counts stay below 2^53, where a double is still
/// exact.
struct Position {
  Step batches = 0;            ///< that were trained
  Epoch epochs = 0;            ///< that are done
  std::uint64_t examples = 0;  ///< sum of batch sizes; a smaller last batch counts with its size
  double seconds = 0;          ///< since training started, including the time before a resume
  double training_seconds = 0; ///< inside steps only: a slow extension does not advance it
  std::map<std::string, double> timelines; ///< registered by the user: name -> time
  TROUPE_FIELDS(batches, epochs, examples, seconds, training_seconds, timelines);
};

/// The five built-in timelines, and `custom` for those of `Position::timelines`.
enum class Timeline : std::uint8_t {
  batches,          ///< batches trained
  epochs,           ///< epochs done
  examples,         ///< examples trained
  seconds,          ///< since training started
  training_seconds, ///< of them, inside steps
  custom,           ///< one that the user has registered
};

/// @returns the built-in timeline called `name`, singular ("epoch") or plural; nothing for any
/// other name.
std::optional<Timeline> builtin_timeline(std::string_view name);

/// Whether the name is one of the above, which no user can register.
bool is_builtin_timeline(std::string_view name);

/// Whether time is a count: batches, epochs, examples. All other timelines are real-valued.
constexpr bool counts(Timeline timeline) { return timeline <= Timeline::examples; }

/// The plural name of a built-in timeline, "" for `custom`.
std::string_view name_of(Timeline timeline);

/// Time on a built-in timeline; 0 on `custom`, which is only known by name.
inline double time_on(const Position& position, Timeline timeline) {
  switch (timeline) {
  case Timeline::batches: return static_cast<double>(position.batches);
  case Timeline::epochs: return static_cast<double>(position.epochs);
  case Timeline::examples: return static_cast<double>(position.examples);
  case Timeline::seconds: return position.seconds;
  case Timeline::training_seconds: return position.training_seconds;
  case Timeline::custom: break;
  }
  return 0;
}

/// Time on the timeline called `timeline`.
/// @throws std::invalid_argument for a name that is neither built in nor registered; the sentence
/// suggests the nearest.
double time_on(const Position& position, std::string_view timeline);

/// The names of the timelines that the user registered.
std::vector<std::string> custom_timelines(const Position& position);

/// @returns the sentence that rejects `name`, with the nearest of the built-in and the `registered`
/// timelines.
std::string unknown_timeline(std::string_view name, const std::vector<std::string>& registered);

} // namespace troupe
