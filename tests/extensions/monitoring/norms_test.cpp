#include "extensions/monitoring/norms.hpp"
#include "tests/support/extension_stage.hpp"

#include <cmath>

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
  event.parameters.values = Block::copy_of(parameters);
  if (!gradient.empty())
    event.gradient = Block::copy_of(gradient);
  return event;
}

} // namespace

TEST_CASE("norms of all parameters and of the gradient are Euclidean", "[norms]") {
  const auto records = norms({}, two_parameters(), floats({1, 2, 2, 4, 0}, {2, 0, 0, 0, 1.5f}));
  CHECK(records == Records{{"gradient_norm", Value{2.5}}, {"parameter_norm", Value{5.0}}});
}

TEST_CASE("the update ratio is that of the applied update, for any optimizer", "[norms]") {
  auto event = floats({9, 9, 9, 9, 9}, {2, 0, 0, 0, 1.5f}); // another gate has changed them since
  event.updated_from = Block::copy_of(std::vector<float>{1, 2, 2, 4, 0.5f});
  event.updated_to = Block::copy_of(std::vector<float>{1.3f, 2, 2, 4, 0.1f});
  CHECK(number_in(norms({}, two_parameters(), event), "update_ratio")
        == Approx(0.5 / std::sqrt(1.69 + 4 + 4 + 16 + 0.01)));
}

TEST_CASE("measured parameters are not part of the ratio", "[norms]") {
  Layout layout;
  layout.add("weight", {2});
  layout.add("running_mean", {1}, ParameterRole::statistic);
  auto event = floats({3, 4, 100}, {1, 1, 1});
  event.updated_from = Block::copy_of(std::vector<float>{3, 3, 0});
  event.updated_to = event.parameters.values;
  CHECK(number_in(norms({}, layout, event), "update_ratio") == Approx(1.0 / 5));
}

TEST_CASE("norms of single parameters have their names", "[norms]") {
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

TEST_CASE("parameters of norm 0 have no ratio", "[norms]") {
  auto event = floats({0, 0, 0, 0, 0}, {1, 0, 0, 0, 0});
  event.updated_from = event.updated_to = event.parameters.values;
  const auto records = norms({}, two_parameters(), event);
  CHECK(records.count("update_ratio") == 0);
  CHECK(number_in(records, "gradient_norm") == 1);
}

TEST_CASE("training writes norms", "[norms]") {
  Stage stage{{.toy = {.momentum = 0.5}, .step_duration = 0}};
  Layout layout;
  layout.add("w", {1});
  stage.observe("norms", trigger("every_n_batches", Value{std::int64_t{1}}),
                stage.world.keep(spawn_norms(stage.world.system, {}, layout, stage.logger)),
                Shows::step);
  stage.finish_after(2);
  stage.run();
  // The mean of x^2 in the first batch is 28.5; w is 0 and the target is 2.
  constexpr auto first = 1e-4 * 2 * 28.5, second = first / 2 + 1e-4 * (2 - first) * 218.5;
  CHECK(number_in(stage.row(1), "gradient_norm") == Approx(2 * 28.5));
  CHECK(number_in(stage.row(1), "parameter_norm") == Approx(first));
  CHECK(number_in(stage.row(1), "update_ratio") == Approx(1));
  CHECK(number_in(stage.row(2), "gradient_norm") == Approx((2 - first) * 218.5));
  CHECK(number_in(stage.row(2), "update_ratio") == Approx(second / (first + second)));
}

TEST_CASE("observing updates does not change them", "[norms][B52]") {
  const auto trained = [](Shows shows) {
    Stage stage{{.toy = {.momentum = 0.5}, .step_duration = 0}};
    stage.observe("who looks", trigger("after_batch"),
                  stage.world.keep(spawn_norms(stage.world.system, {}, {}, stage.logger)), shows);
    stage.finish_after(7);
    return stage.run().parameters.values;
  };
  CHECK(trained(Shows::step) == trained(Shows::nothing));
}
