#include "base/files/durable_file.hpp"
#include "messages/timing/step_trace.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A worker whose clock is `behind` the holder's: pushes take `there`, answers `back` seconds.
TracedStep step_with_exchange(Step batch, double begin, double behind, double there, double back) {
  const auto arrived = begin + there + behind;
  const auto answered = arrived + 0.01;
  const auto end = answered - behind + back;
  return {batch,
          0,
          {{"gate sync", begin - 1e-4, end + 1e-4},
           {"exchange", begin, end},
           {"push", arrived, answered, true},
           {"waits for worker 1", arrived, answered - 1e-3, true}}};
}

} // namespace

TEST_CASE("a step's line is read as it was written", "[trace]") {
  const WorkFolder work;
  const auto file = work.path() / step_trace_file;
  const TracedStep step{
    7,
    3,
    {{"reading", 0.125, 0.25}, {"gate \"odd\" name", 0.25, 1e9 + 1e-6}, {"push", 5, 6, true}}};
  write_file(file, trace_line(TraceStart{2, 1.5, 1.7e9}) + "\n" + trace_line(step) + "\n");
  const auto traces = read_step_traces(file);
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].start.worker == 2);
  CHECK(traces[0].start.clock == 1.5);
  CHECK(traces[0].start.unix_time == 1.7e9);
  REQUIRE(traces[0].steps.size() == 1);
  CHECK(traces[0].steps[0].batch == 7);
  CHECK(traces[0].steps[0].lost == 3);
  REQUIRE(traces[0].steps[0].spans.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& read = traces[0].steps[0].spans[i];
    CHECK(read.name == step.spans[i].name);
    CHECK(read.begin == step.spans[i].begin);
    CHECK(read.end == step.spans[i].end);
    CHECK(read.at_holder == step.spans[i].at_holder);
  }
}

TEST_CASE("each process that wrote to a trace has its own clock", "[trace]") {
  const WorkFolder work;
  const auto file = work.path() / step_trace_file;
  const auto line = trace_line(TracedStep{1, 0, {{"update", 1, 2}}});
  write_file(file, trace_line(TraceStart{0, 10, 100}) + "\n" + line + "\n"
                     + trace_line(TraceStart{0, 3, 200}) + "\n" + line + "\n" + line + "\n");
  const auto traces = read_step_traces(file);
  REQUIRE(traces.size() == 2);
  CHECK(traces[0].steps.size() == 1);
  CHECK(traces[1].steps.size() == 2);
  CHECK(traces[1].start.clock == 3);
}

TEST_CASE("the last line of a trace may be cut off", "[trace]") {
  const WorkFolder work;
  const auto file = work.path() / step_trace_file;
  const auto line = trace_line(TracedStep{1, 0, {{"update", 1, 2}}});
  write_file(file, trace_line(TraceStart{}) + "\n" + line + "\n" + line.substr(0, 9));
  CHECK(read_step_traces(file).front().steps.size() == 1);
}

TEST_CASE("a damaged trace is named with its line", "[trace]") {
  const WorkFolder work;
  const auto file = work.path() / step_trace_file;
  for (const auto* damaged : {"{\"batch\":1,\"spans\":[[1]]}", "no JSON", "[]", "{\"batch\":1}"}) {
    write_file(file, trace_line(TraceStart{}) + "\n" + damaged + "\n");
    CHECK_THROWS_WITH(read_step_traces(file),
                      Catch::Contains("line 2 of the trace") && Catch::Contains("delete the file"));
  }
  write_file(file, trace_line(TracedStep{1, 0, {}}) + "\n");
  CHECK_THROWS_WITH(read_step_traces(file), Catch::Contains("does not begin with the clock"));
}

TEST_CASE("the shift to the holder's clock is right within what it says", "[trace]") {
  std::mt19937_64 random{7};
  std::exponential_distribution<double> delay{200}; // 5 ms on average, there and back
  for (const double behind : {0.0, 3.25, -1e6, 1e6}) {
    StepTrace trace;
    for (Step batch = 1; batch <= 50; ++batch)
      trace.steps.push_back(step_with_exchange(batch, 100 + static_cast<double>(batch), behind,
                                               1e-4 + delay(random), 1e-4 + delay(random)));
    const auto shift = shift_to_holder(trace);
    CHECK(std::abs(shift.seconds - behind) <= shift.within + 1e-9);
    CHECK(shift.within < 1e-3);
  }
}

TEST_CASE("a worker without exchanges has no shift", "[trace]") {
  const StepTrace trace{{}, {{1, 0, {{"reading", 0, 1}, {"gate sync", 1, 2}}}}};
  CHECK(std::isinf(shift_to_holder(trace).within));
}
