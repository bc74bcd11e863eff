#include "base/files/durable_file.hpp"
#include "extensions/monitoring/stream_monitoring.hpp"
#include "extensions/monitoring/trace.hpp"
#include "messages/timing/step_trace.hpp"
#include "tests/support/extension_doubles.hpp"
#include "tests/support/extension_stage.hpp"
#include "tests/support/program.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

/// A gate that delays training by `seconds`.
Extension slow_gate_of(Stage& stage, double seconds) {
  StreamMonitoringOptions options;
  options.gate = true;
  return stage.world.keep(spawn_stream_monitoring(
    stage.world.system, options, slow_evaluator(stage.world, seconds), stage.logger));
}

Extension tracing(Stage& stage, const std::filesystem::path& folder, std::uint64_t steps = 0) {
  return stage.world.keep(
    spawn_trace(stage.world.system, {steps}, stage.trainer, folder.string(), stage.logger));
}

void observe_spans(Stage& stage, const Extension& extension) {
  stage.observe("trace", trace_conditions(), extension, Shows::spans);
}

std::vector<std::string> names_of_spans(const TracedStep& step) {
  std::vector<std::string> names;
  for (const auto& span : step.spans)
    names.push_back(span.name);
  return names;
}

} // namespace

TEST_CASE("a trace has each step's reading, gradient and update, one after another", "[trace]") {
  const WorkFolder work;
  Stage stage{{.step_duration = 2, .epochs = 2}};
  observe_spans(stage, tracing(stage, work.path()));
  stage.run();
  const auto traces = read_step_traces(work.path() / step_trace_file);
  REQUIRE(traces.size() == 1);
  REQUIRE(traces[0].steps.size() == 6);
  Step batch = 0;
  double last = 0;
  for (const auto& step : traces[0].steps) {
    CHECK(step.batch == ++batch);
    CHECK(names_of_spans(step) == std::vector<std::string>{"reading", "gradient", "update"});
    for (const auto& span : step.spans) {
      CHECK(span.begin >= last);
      CHECK(span.end >= span.begin);
      last = span.end;
    }
    CHECK(step.spans[1].end - step.spans[1].begin == Approx(2)); // the simulated duration
  }
}

TEST_CASE("the wait for a gate belongs to the step that it delays", "[trace]") {
  const WorkFolder work;
  Stage stage{{.step_duration = 1, .epochs = 1}};
  stage.gate("slow", Conditions{}.set_trigger("after_batch", true), slow_gate_of(stage, 5));
  observe_spans(stage, tracing(stage, work.path()));
  stage.run();
  const auto steps = read_step_traces(work.path() / step_trace_file).at(0).steps;
  REQUIRE(steps.size() == 3);
  CHECK(names_of_spans(steps[0]) == std::vector<std::string>{"reading", "gradient", "update"});
  CHECK(names_of_spans(steps[1])
        == std::vector<std::string>{"gate slow", "reading", "gradient", "update"});
  CHECK(steps[1].spans[0].end - steps[1].spans[0].begin == Approx(5));
}

TEST_CASE("a trace ends after its last step, and says where it is", "[trace]") {
  const WorkFolder work;
  Stage stage{{.step_duration = 1, .epochs = 2}};
  observe_spans(stage, tracing(stage, work.path(), 4));
  stage.run();
  CHECK(read_step_traces(work.path() / step_trace_file).at(0).steps.size() == 4);
  CHECK_THAT(stage.heard->texts().at(0),
             Catch::Contains("the trace of 4 steps of worker 0 is in '" + work.path().string()));
}

TEST_CASE("training goes on without a trace that cannot be written", "[trace]") {
  const WorkFolder work;
  write_file(work.path() / "file", "");
  Stage stage{{.step_duration = 1, .epochs = 1}};
  observe_spans(stage, tracing(stage, work.path() / "file"));
  CHECK(stage.run().position.batches == 3);
  REQUIRE(stage.heard->texts(Level::warning).size() == 1);
  CHECK_THAT(stage.heard->texts(Level::warning)[0],
             Catch::Contains("training continues without a trace"));
}
