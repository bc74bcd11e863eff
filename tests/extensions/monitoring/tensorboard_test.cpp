#include "extensions/monitoring/tensorboard.hpp"
#include "tests/support/extension_stage.hpp"
#include "tests/support/program.hpp"

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// The bytes of a run's event files.
std::string events_in(const std::filesystem::path& folder) {
  std::string bytes;
  if (std::filesystem::exists(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      bytes += contents(entry.path());
  return bytes;
}

std::string training_events(std::uint32_t level, Step batches,
                            const std::vector<Write>& late = {}) {
  const WorkFolder work;
  Stage stage{{.step_duration = 0}};
  Layout layout;
  layout.add("w", {1});
  auto conditions = tensorboard_conditions();
  conditions.set_trigger("every_n_batches", Value{std::int64_t{10}});
  const auto actor
    = stage.world.keep(spawn_tensorboard(stage.world.system, {.level = level}, layout,
                                         work.path().string(), stage.logger, [] { return 1e9; }));
  stage.observe("tensorboard", conditions, actor, Shows::gradients);
  stage.finish_after(batches);
  stage.run();
  stage.world.self->send(stage.logger,
                         Write{{0, batches}, 1, 0, {{"validation_accuracy", Value{0.5}}}, ""});
  for (const auto& write : late)
    stage.world.self->send(stage.logger, write);
  stage.world.run();
  CHECK_THAT(events_in(work.path() / "tensorboard/validation_set_agg"), Contains("accuracy"));
  return events_in(work.path() / "tensorboard/training");
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

} // namespace

TEST_CASE("TensorBoard's levels add histograms of parameters, then of gradients", "[M35]") {
  const std::string parameters = "\n\x01w", gradients = "gradient/w";
  const auto numbers = training_events(0, 30);
  CHECK(count_of(numbers, "loss") == 3);
  CHECK(count_of(numbers, parameters) == 0);
  CHECK(count_of(training_events(1, 30), parameters) == 3);
  CHECK(count_of(training_events(1, 30), gradients) == 0);
  CHECK(count_of(training_events(2, 30), gradients) == 3);
}

TEST_CASE("TensorBoard gets every tenth batch at a log interval of ten", "[M34]") {
  CHECK(count_of(training_events(0, 25), "loss") == 2);
}

TEST_CASE("TensorBoard draws records that observers add later to a drawn row", "[M35]") {
  const auto late = [](Step batch, const std::string& record) {
    return Write{{0, batch}, 0, 0, {{record, Value{0.5}}}, ""};
  };
  const auto events
    = training_events(0, 25, {late(20, "gradient_norm"), late(21, "parameter_norm")});
  CHECK(count_of(events, "gradient_norm") == 1);
  CHECK(count_of(events, "parameter_norm") == 0);
}

TEST_CASE("records are drawn in the run they belong to", "[M35]") {
  const auto place = [](const std::string& record) {
    const auto found = event_place(record);
    return found.run.empty() ? "" : found.run + "/" + found.tag;
  };
  CHECK(place("validation_loss") == "validation_set_agg/loss");
  CHECK(place("partial_valid_accuracy") == "validation/accuracy");
  CHECK(place("training_loss") == "training_set_agg/loss");
  CHECK(place("gradient_norm") == "training/gradient_norm");
  CHECK(place("time_train_total").empty());
  CHECK(place("checkpoint_seconds").empty());
}

TEST_CASE("invalid options of tensorboard are refused", "[M35]") {
  Stage stage;
  const auto refuse = [&](const TensorboardOptions& options, const std::string& what) {
    CHECK_THROWS_WITH(spawn_tensorboard(stage.world.system, options, {}, ".", stage.logger),
                      Contains(what));
  };
  refuse({.level = 3}, "level");
  refuse({.folder = ""}, "folder");
  refuse({.bins = 0}, "bins");
}
