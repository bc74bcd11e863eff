// The learners that a configuration makes.
#include "apps/run_config/read_run_config.hpp"
#include "apps/session/run_actors_options.hpp"
#include "apps/session/run_problem.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace troupe;

namespace {

/// Options for 600 digits.
RunActorsOptions options_of_run(const std::string& word) {
  ConfigSources sources;
  sources.overrides = {"problem.train=600", "problem.validation=10", "problem.test=10",
                       "model.hidden=[]",   "training.seed=5",       word};
  const auto config = read_run_config(sources);
  const auto problem = problem_of(config);
  return run_actors_options(config, problem, model_of(config, *problem));
}

std::shared_ptr<Learner> after_first_step(const std::string& word) {
  auto learner = make_learner(options_of_run(word), 0);
  learner->read(0);
  learner->train(0);
  return learner;
}

double norm_of(std::span<const float> values) {
  double squares = 0;
  for (const double value : values)
    squares += value * value;
  return std::sqrt(squares);
}

double largest_of(std::span<const float> values) {
  double largest = 0;
  for (const double value : values)
    largest = std::max(largest, std::abs(value));
  return largest;
}

} // namespace

TEST_CASE("the gradient is clipped as the configuration says", "[M18]") {
  const auto plain = after_first_step("training.clipping.norm=0");
  CHECK(largest_of(plain->gradient()) > 1e-3);
  const auto by_element = after_first_step("training.clipping.element=1e-6");
  CHECK(largest_of(by_element->gradient()) == Approx(1e-6));
  const auto by_norm = after_first_step("training.clipping.norm=1e-3");
  CHECK(norm_of(by_norm->gradient()) == Approx(1e-3).epsilon(1e-4));
  const auto by_parameter = after_first_step("training.clipping.parameter_norm=1e-3");
  for (const auto& parameter : by_parameter->layout().parameters())
    CHECK(norm_of(by_parameter->gradient().subspan(static_cast<std::size_t>(parameter.offset),
                                                   static_cast<std::size_t>(parameter.size())))
          == Approx(1e-3).epsilon(1e-4));
}

TEST_CASE("drop_last leaves out the epoch's batch that is not full", "[M14]") {
  CHECK(batch_order(options_of_run("training.drop_last=false"), 0).batches_per_epoch() == 10);
  CHECK(batch_order(options_of_run("training.drop_last=true"), 0).batches_per_epoch() == 9);
}
