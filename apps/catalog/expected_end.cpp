#include "apps/catalog/expected_end.hpp"

#include "base/config/decode.hpp"
#include "extensions/stopping/stop_after_time_elapsed.hpp"
#include "extensions/stopping/terminal_conditions.hpp"

#include <cmath>

namespace troupe {

namespace {

/// The readable options; errors are reported where the options are used.
template <class Options>
Options readable(const ConfiguredExtension& extension) {
  Options options;
  config::decode(extension.options, options, "");
  return options;
}

/// Sets `end` to the smaller of both; values that are not above 0 count as none.
template <class Number>
void take_nearer(Number& end, double other) {
  if (other > 0 && std::isfinite(other) && (end == 0 || other < static_cast<double>(end)))
    end = static_cast<Number>(other);
}

void take_schedule(ExpectedEnd& end, const Condition& condition) {
  const auto& schedule = condition.schedule;
  if (schedule.kind() != Schedule::Kind::at || !condition.predicate.empty()
      || !condition.record.empty())
    return;
  if (schedule.timeline() == "batches")
    take_nearer(end.batches, schedule.times().front());
  else if (schedule.timeline() == "seconds")
    take_nearer(end.seconds, schedule.times().front());
}

} // namespace

ExpectedEnd expected_end(const std::vector<ConfiguredExtension>& extensions) {
  ExpectedEnd end;
  for (const auto& extension : extensions)
    if (extension.type == "finish_after")
      for (const auto& condition : extension.conditions.all())
        take_schedule(end, condition);
    else if (extension.type == "stop_after_time_elapsed")
      take_nearer(end.seconds,
                  readable<StopAfterTimeElapsedOptions>(extension).total_duration.count());
    else if (extension.type == "terminal_conditions")
      take_nearer(
        end.batches,
        static_cast<double>(readable<TerminalConditionsOptions>(extension).limits.episode_limit));
  return end;
}

} // namespace troupe
