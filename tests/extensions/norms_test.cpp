#include "troupe/extensions/norms.hpp"
#include "troupe/tests/support/extension_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

Layout two_parameters() {
  Layout layout;
  layout.add("weight", {2, 2});
  layout.add("bias", {1});
  return layout;
}

LoopEvent floats(const std::vector<float>& parameters, const std::vector<float>& gradient = {}) {
  LoopEvent event;
  event.started = true;
  event.learning_rate = 0.5;
  event.parameters.values = Block::copy_of(parameters);
  if (!gradient.empty())
    event.gradient = Block::copy_of(gradient);
  return event;
}

} // namespace

TEST_CASE("norms are Euclidean, of all parameters and of the gradient", "[norms]") {
  const auto records = norms({}, two_parameters(), floats({1, 2, 2, 4, 0}, {2, 0, 0, 0, 1.5f}));
  CHECK(records
        == Records{{"gradient_norm", Value{2.5}},
                   {"parameter_norm", Value{5.0}},
                   {"update_ratio", Value{0.5 * 2.5 / 5}}});
}

TEST_CASE("norms of each parameter carry its name", "[norms]") {
  const auto records = norms({.per_parameter = true, .prefix = "raw"}, two_parameters(),
                             floats({0, 3, 4, 0, -12}, {2, 0, 0, 0, 1.5f}));
  CHECK(number_in(records, "raw_parameter_norm") == 13);
  CHECK(number_in(records, "raw_norm_weight") == 5);
  CHECK(number_in(records, "raw_norm_bias") == 12);
  CHECK(number_in(records, "raw_gradient_norm_weight") == 2);
  CHECK(number_in(records, "raw_gradient_norm_bias") == 1.5);
}

TEST_CASE("before the first batch there is no gradient", "[norms]") {
  auto event = floats({0, 3, 4, 0, 0}, {1, 1, 1, 1, 1});
  event.started = false;
  CHECK(names_of(norms({}, two_parameters(), event)) == std::vector<std::string>{"parameter_norm"});
}

TEST_CASE("norms of parameters that are 0 have no ratio", "[norms]") {
  const auto records = norms({}, two_parameters(), floats({0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}));
  CHECK(records.count("update_ratio") == 0);
  CHECK(number_in(records, "gradient_norm") == 1);
}

TEST_CASE("norms come from training", "[norms]") {
  Stage stage{{.step_duration = 0}};
  Layout layout;
  layout.add("w", {1});
  stage.observe("norms", trigger("every_n_batches", Value{std::int64_t{1}}),
                stage.world.keep(spawn_norms(stage.world.system, {}, layout, stage.logger)),
                Shows::gradients);
  stage.finish_after(2);
  stage.run();
  // The mean of x^2 in the first batch is 28.5; w is 0 and shall be 2.
  CHECK(number_in(stage.row(1), "gradient_norm") == Approx(2 * 28.5));
  CHECK(number_in(stage.row(1), "parameter_norm") == Approx(1e-4 * 2 * 28.5));
  CHECK(number_in(stage.row(1), "update_ratio") == Approx(1));
  CHECK(number_in(stage.row(2), "gradient_norm") == Approx((2 - 0.0057) * 218.5));
}
