#include "apps/run_index/step_events.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace troupe {

namespace {

std::string worker_of_thread(std::uint32_t thread) {
  return "worker " + std::to_string((thread - 1) / 3);
}

} // namespace

std::string name_of_pushes(std::uint32_t thread) { return "pushes of " + worker_of_thread(thread); }

std::string name_of_thread(std::uint32_t thread) {
  const auto worker = worker_of_thread(thread);
  switch ((thread - 1) % 3) {
  case 0: return worker;
  case 1: return "saver of " + worker;
  default: return "steps of " + worker;
  }
}

namespace {

/// Two clocks that differ by more are not of the same holder: it has been started again.
constexpr double longest_shift = 3600; // seconds

double own_wall_shift(const StepTrace& trace) { return trace.start.unix_time - trace.start.clock; }

/// What the holder's clock lacks to show seconds since 1970.
std::optional<double> wall_shift_of_holder(const std::vector<std::vector<StepTrace>>& members) {
  for (const auto& member : members)
    for (const auto& trace : member)
      if (const auto shift = shift_to_holder(trace); std::isfinite(shift.within))
        return own_wall_shift(trace) - shift.seconds;
  return {};
}

/// Turns the traces of one process into events.
class EventsOfTrace {
public:
  EventsOfTrace(const StepTrace& trace, std::optional<double> holder)
    : trace_(trace),
      wall_(own_wall_shift(trace)),
      holder_(holder) {
    const auto shift = shift_to_holder(trace);
    if (!holder || !std::isfinite(shift.within)
        || std::abs(shift.seconds + *holder - wall_) > longest_shift)
      return;
    clock_ = {shift.seconds + *holder - wall_, shift.within};
  }

  const MemberClock& clock() const { return clock_; }

  void add_to(std::vector<TraceEvent>& member, std::vector<TraceEvent>& at_holder,
              std::uint64_t& arrows) const {
    for (const auto& step : trace_.steps) {
      add_step(step, member);
      const Span* around = nullptr; // what the next spans at the holder lie in
      for (const auto& span : step.spans)
        if (!span.at_holder) {
          member.push_back(event_of(span, wall_ + clock_.shift, thread()));
          around = &span;
        } else if (clock_.is_measured()) {
          const auto event = event_of(span, *holder_, thread());
          at_holder.push_back(event);
          if (around != nullptr)
            add_arrows(*std::exchange(around, nullptr), event, member, at_holder, arrows);
        }
    }
  }

private:
  std::uint32_t thread() const { return steps_thread(trace_.start.worker); }

  static TraceEvent event_of(const Span& span, double shift, std::uint32_t thread) {
    return {'X', span.name, 1e6 * (span.begin + shift), 1e6 * (span.end - span.begin), thread};
  }

  void add_step(const TracedStep& step, std::vector<TraceEvent>& member) const {
    Span whole{"step " + std::to_string(step.batch), std::numeric_limits<double>::infinity(), 0};
    for (const auto& span : step.spans)
      if (!span.at_holder) {
        whole.begin = std::min(whole.begin, span.begin);
        whole.end = std::max(whole.end, span.end);
      }
    member.push_back(event_of(whole, wall_ + clock_.shift, thread()));
    if (step.lost > 0)
      member.push_back({'i',
                        "not traced",
                        member.back().begin,
                        0,
                        thread(),
                        {},
                        std::to_string(step.lost) + " steps before this one"});
  }

  /// The push on its way to the holder, and the answer.
  void add_arrows(const Span& exchange, const TraceEvent& push, std::vector<TraceEvent>& member,
                  std::vector<TraceEvent>& at_holder, std::uint64_t& arrows) const {
    const auto own = event_of(exchange, wall_ + clock_.shift, thread());
    const auto inside = std::min(1.0, push.length / 2); // a moment that belongs to the span
    member.push_back({'s', "push", own.begin, 0, thread(), {}, "", ++arrows});
    at_holder.push_back({'f', "push", push.begin, 0, thread(), {}, "", arrows});
    at_holder.push_back(
      {'s', "answer", push.begin + push.length - inside, 0, thread(), {}, "", ++arrows});
    member.push_back({'f', "answer", own.begin + own.length, 0, thread(), {}, "", arrows});
  }

  const StepTrace& trace_;
  double wall_; ///< from the clock of the process to its machine's wall clock
  std::optional<double> holder_;
  MemberClock clock_;
};

} // namespace

StepEvents step_events(const std::vector<std::vector<StepTrace>>& members) {
  StepEvents events;
  events.of_members.resize(members.size());
  events.clocks.resize(members.size());
  const auto holder = wall_shift_of_holder(members);
  std::uint64_t arrows = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    for (const auto& trace : members[i]) {
      const EventsOfTrace of_trace{trace, holder};
      if (of_trace.clock().within < events.clocks[i].within)
        events.clocks[i] = of_trace.clock();
      of_trace.add_to(events.of_members[i], events.of_holder, arrows);
    }
  return events;
}

std::vector<StepTrace> step_traces_in(const std::filesystem::path& run) {
  std::vector<StepTrace> traces;
  const auto add = [&](const std::filesystem::path& folder) {
    if (const auto file = folder / step_trace_file; std::filesystem::is_regular_file(file))
      for (auto& trace : read_step_traces(file))
        traces.push_back(std::move(trace));
  };
  add(run);
  std::error_code error;
  std::vector<std::filesystem::path> workers;
  for (const auto& entry : std::filesystem::directory_iterator{run, error})
    if (entry.is_directory(error) && entry.path().filename().string().starts_with("worker-"))
      workers.push_back(entry.path());
  std::sort(workers.begin(), workers.end());
  for (const auto& worker : workers)
    add(worker);
  return traces;
}

} // namespace troupe
