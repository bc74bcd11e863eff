#include "apps/run_index/step_events.hpp"
#include "apps/run_index/trace.hpp"
#include "base/files/durable_file.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr double holder_clock = 500; // shows this when the wall clocks show 1.7e9

/// A worker that exchanges once a second from 1.7e9 on. @param clock what its clock shows then
/// @param wall by how much its machine's wall clock is ahead
StepTrace trace_of_worker(WorkerId worker, double clock, double wall) {
  StepTrace trace{{worker, clock, 1.7e9 + wall}, {}};
  for (Step batch = 1; batch <= 5; ++batch) {
    const auto since = static_cast<double>(batch); // seconds
    const auto travels = 1e-3 / since;
    trace.steps.push_back(
      {batch,
       0,
       {{"reading", clock + since - 0.5, clock + since - 0.4},
        {"update", clock + since - 0.4, clock + since - 0.1},
        {"gate sync", clock + since, clock + since + 0.3},
        {"exchange", clock + since, clock + since + 0.3},
        {"push", holder_clock + since + travels, holder_clock + since + 0.3 - travels, true}}});
  }
  return trace;
}

/// Whether an event has what Chrome's trace format asks of its phase.
bool is_event_of_chrome(const nlohmann::json& event) {
  const auto phase = event["ph"].get<std::string>();
  const auto has = [&](std::initializer_list<const char*> numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [&](const auto* name) {
      return event.contains(name) && event[name].is_number() && event[name] >= 0;
    });
  };
  if (!event["name"].is_string() || !has({"pid", "tid"}))
    return false;
  if (phase == "M")
    return event["args"]["name"].is_string();
  if (!has({"ts"}))
    return false;
  if (phase == "X")
    return has({"dur"});
  if (phase == "C")
    return event["args"].is_object();
  if (phase == "i")
    return event["s"] == "t";
  return (phase == "s" || phase == "f") && event["cat"].is_string() && has({"id"});
}

} // namespace

TEST_CASE("members with different clocks are shown on one", "[trace]") {
  const std::vector<std::vector<StepTrace>> members{{trace_of_worker(0, 10, 0)},
                                                    {trace_of_worker(1, 9000, 2.5)}};
  const auto events = step_events(members);
  CHECK(events.clocks[0].shift == Approx(0).margin(1e-6));
  CHECK(events.clocks[1].shift == Approx(-2.5));
  CHECK(events.clocks[1].within < 1e-3);
  const auto begins = [](const std::vector<TraceEvent>& of) {
    std::vector<double> found;
    for (const auto& event : of)
      if (event.name == "exchange" || (event.name == "push" && event.phase == 'X'))
        found.push_back(event.begin);
    return found;
  };
  const auto first = begins(events.of_members[0]);
  const auto second = begins(events.of_members[1]);
  REQUIRE(first.size() == 5);
  REQUIRE(second.size() == 5);
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(std::abs(first[i] - second[i]) < 1e3); // 1 ms, in microseconds
}

TEST_CASE("spans of traced steps nest", "[trace]") {
  const auto events = step_events({{trace_of_worker(0, 10, 0)}});
  std::map<std::uint32_t, std::vector<TraceEvent>> threads;
  for (const auto* group : {&events.of_members[0], &events.of_holder})
    for (const auto& event : *group)
      if (event.phase == 'X')
        threads[event.thread + (group == &events.of_holder ? 1000 : 0)].push_back(event);
  CHECK(threads.size() == 2);
  for (auto& [thread, spans] : threads) {
    std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
      return std::pair{a.begin, -a.length} < std::pair{b.begin, -b.length};
    });
    std::vector<double> ends;
    for (const auto& span : spans) {
      constexpr double exact = 0.5; // microseconds since 1970 have four digits after the point
      while (!ends.empty() && ends.back() <= span.begin + exact)
        ends.pop_back();
      if (!ends.empty())
        CHECK(span.begin + span.length <= ends.back() + exact);
      ends.push_back(span.begin + span.length);
    }
  }
}

TEST_CASE("each exchange has an arrow to the holder and one back", "[trace]") {
  const auto events = step_events({{trace_of_worker(0, 10, 0)}});
  std::map<std::uint64_t, double> begins;
  auto arrows = 0;
  for (const auto* group : {&events.of_members[0], &events.of_holder})
    for (const auto& event : *group)
      if (event.phase == 's')
        begins[event.arrow] = event.begin;
  for (const auto* group : {&events.of_members[0], &events.of_holder})
    for (const auto& event : *group)
      if (event.phase == 'f') {
        ++arrows;
        CHECK(begins.at(event.arrow) < event.begin);
      }
  CHECK(arrows == 10);
}

TEST_CASE("a worker that does not exchange stays on its wall clock", "[trace]") {
  auto alone = trace_of_worker(0, 10, 3);
  for (auto& step : alone.steps)
    step.spans.resize(2);
  const auto events = step_events({{alone}});
  CHECK_FALSE(events.clocks[0].is_measured());
  CHECK(events.of_holder.empty());
  CHECK(events.of_members[0].front().begin == Approx(1e6 * (1.7e9 + 3 + 0.5)).epsilon(1e-15));
}

TEST_CASE("a damaged trace is refused, and the log is shown without it", "[trace]") {
  const WorkFolder work;
  const auto trained
    = troupe_program(work.path(), "train -q --folder run training.epochs=1 " + small_digits);
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  write_file(work.path() / "run" / step_trace_file, "half\n");
  const auto refused = troupe_program(work.path(), "trace run");
  CHECK(refused.code == 74);
  CHECK_THAT(refused.error, Catch::Contains("line 1 of the trace"));
  // cure: ; delete the file to do without it
  std::filesystem::remove(work.path() / "run" / step_trace_file);
  CHECK(troupe_program(work.path(), "trace run").code == 0);
}

TEST_CASE("a traced run in two processes has its steps and pushes in one trace", "[trace][I2]") {
  const WorkFolder work;
  const auto ran = troupe_program(
    work.path(),
    "launch -n 2 --folder cluster training.epochs=1 model.hidden=[4] problem.train=512 "
    "problem.validation=64 problem.test=64 extensions.trace.steps=3");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  REQUIRE(troupe_program(work.path(), "trace cluster -o trace.json").code == 0);
  const auto trace = nlohmann::json::parse(contents(work.path() / "trace.json"));
  for (const auto& event : trace["traceEvents"])
    CHECK(is_event_of_chrome(event));
  std::map<std::string, int> spans;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "X")
      ++spans[event["name"].get<std::string>()];
  CHECK(spans["gradient"] == 6);
  CHECK(spans["step 1"] == 2);
  CHECK(spans["push"] > 0);
  CHECK(trace["otherData"]["clocks"].size() == 2);
  for (const auto& clock : trace["otherData"]["clocks"])
    CHECK(std::abs(clock["shift_seconds"].get<double>())
          <= clock["within_seconds"].get<double>() + 1e-3);
}
